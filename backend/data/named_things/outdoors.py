"""Plants, rocks, buildings, vehicles and what stands outdoors; see `things.read_things`."""

from __future__ import annotations

__all__ = ["OUTDOORS"]

OUTDOORS = """
tree oak birch maple willow Baum arbre arbol albero commontree | 4 4 6
    trunk bark stem branch Stamm : wood : box .12 .12 .6 .5 .5 .3
    leaves foliage crown Blatt canopy : leaf4 plant3 : tufts 7 .6 .5 .5 .5 .7
    snow? : soil : tufts 4 .4 .1 .5 .5 .95
pine fir spruce christmastree Tanne sapin conifer | 2.5 2.5 6
    trunk bark : wood : cyl .12 .12 .25 .5 .5 .12
    needles leaves green branches : leaf3 plant5 : cone 1 1 .8 .5 .5 .6
    star ornament? : metal3 glass : ball .1 .1 .06 .5 .5 .97
    snow? : soil : tufts 4 .4 .05 .5 .5 .8
palm palmtree Palme coconut | 4 4 7
    trunk bark : wood : box .08 .08 .85 .5 .5 .42
    leaf leaves frond : leaf4 plant3 : tufts 9 .5 .1 .5 .5 .93
    coconut nut? : food3 wood : ball .06 .06 .04 .5 .5 .86
deadtree*3 stump*0.6 log fallentree branch*0.8 driftwood treestump*0.6 | 1.5 1 1.5
    trunk log wood bark : wood : cyl .5 .5 1 .5 .5 .5
    moss? : plant : sheet .4 .4 .02 .5 .5 .9
    root roots branch? : wood : box 1 1 .2 .5 .5 .1
bush shrub hedge Busch berrybush topiary*1.5 | 1 1 .8
    bush leaves foliage green : plant5 leaf3 : tufts 6 .6 .7 .5 .5 .5
    berry berries fruit? : food : tufts 5 .08 .08 .5 .5 .6
    branch stem? : wood3 plant : box .1 .1 .5 .5 .5 .3
grass lawn tallgrass Gras herbe meadow | .6 .6 .3
    grass blade tuft : plant : tufts 9 .1 .9 .5 .5 .5
flower tulip rose sunflower*3 daisy Blume fleur flor | .2 .2 .4
    stem stalk Stiel : plant : box .06 .06 .7 .5 .5 .35
    petal blossom flower Bluete : plant4 leaf3 : tufts 5 .5 .2 .5 .5 .85
    leaf leaves : leaf2 plant2 : tufts 3 .5 .1 .5 .5 .3
    center pollen? : plant : ball .25 .25 .1 .5 .5 .9
cactus Kaktus succulent agave | .8 .6 1.5
    cactus body arm : plant : cyl .4 .5 1 .5 .5 .5
    flower? : plant leaf : tufts 2 .15 .08 .5 .5 .95
    spines? : plant : tufts 5 .05 .05 .5 .5 .5
wheat corn crops Weizen reed bamboo sugarcane | .5 .5 1.2
    stalk stem plant : plant : tufts 7 .08 .8 .5 .5 .45
    ear grain corn : plant3 food : tufts 7 .1 .2 .5 .5 .9
    leaf : leaf : tufts 4 .3 .2 .5 .5 .5
mushroom toadstool Pilz champignon fungus | .15 .15 .2
    cap top head : plant3 food3 : cone 1 1 .4 .5 .5 .8
    stem stalk : plant3 food3 : cyl .3 .3 .7 .5 .5 .35
    dots spots? : plant food : tufts 4 .1 .05 .5 .5 .9
lilypad seaweed algae fern moss ivy vine liana | .5 .5 .3
    leaf leaves plant : plant4 leaf4 : tufts 6 .4 .6 .5 .5 .5
    flower? : plant : tufts 2 .2 .2 .5 .5 .8
rock*0.9 stone boulder*1.2 Fels rocher pebble*0.05 cliff*6 mountain*60 | 1.2 1 .8
    rock stone body : stone : ball 1 1 1 .5 .5 .5
    moss grass snow top? : plant3 soil : sheet .6 .6 .1 .5 .5 .93
    ore gold crystal vein? : metal3 glass2 : ball .2 .2 .2 .3 .2 .5
crystal gem*0.15 diamond*0.1 ruby*0.1 Kristall jewel*0.1 | .2 .2 .3
    crystal gem body : glass : cone .6 .6 1 .5 .5 .5
    base rock? : stone : ball 1 1 .3 .5 .5 .15
ground terrain*10 hill*5 path tile*0.3 platform island*4 plateau*3 block*0.3 dirt sand | 4 4 1
    ground grass top lawn : plant4 soil2 : box 1 1 .15 .5 .5 .93
    dirt earth base side soil ground : soil5 stone : box 1 1 .85 .5 .5 .42
    path road sand? : soil3 stone2 : box .3 1 .02 .5 .5 1
    rock stone? : stone : ball .2 .2 .2 .8 .7 1
road street pavement sidewalk bridge Strasse Bruecke | 6 4 .6
    road surface asphalt slab : stone : box 1 1 .3 .5 .5 .15
    curb stones : stone : box 1 .05 .4 .5 .05 .2
    railing rail rope? : wood3 metal3 : box 1 .03 .7 .5 .02 .6
    planks deck? : wood : box 1 .8 .1 .5 .5 .4
wall*0.8 castle*5 tower*2.5 ruin Mauer Burg fortress*5 arch column*0.7 pillar*0.7 temple*3 | 4 1.5 5
    wall stone bricks body column pillar : stone6 marble : box 1 1 .95 .5 .5 .47
    roof top Dach : stone2 wood2 ceramic2 : cone 1 1 .25 .5 .5 .9
    door gate : wood4 metal : box .25 .1 .4 .5 .02 .2
    window : glass : box .15 .05 .15 .3 .02 .6
    flag banner? : fabric : sheet .2 .02 .1 .5 .5 1
    beam : wood : box .05 .05 .9 .2 .02 .5
house cabin hut barn*1.6 Haus maison casa inn shop building farm*2 mill*1.4 church*2.2 windmill*1.5 stall*0.4 | 7 6 6
    wall walls plaster facade Wand : stone5 wood4 : box .95 .95 .65 .5 .5 .33
    roof rooftiles Dach toit : ceramic3 wood3 stone plant : cone 1 1 .35 .5 .5 .82
    door Tuer : wood : box .15 .05 .3 .5 .02 .15
    window Fenster pane : glass : box .15 .04 .15 .25 .02 .4
    beam frame planks timber : wood : box .04 .04 .6 .1 .02 .35
    chimney base foundation : stone : box .1 .1 .25 .8 .7 .9
    lamp sign? : metal3 wood : box .08 .1 .08 .6 .01 .4
    awning canopy? : fabric : sheet .4 .2 .05 .5 .05 .45
skyscraper apartment office tower modernbuilding | 15 15 40
    wall facade concrete body : stone4 metal : box 1 1 1 .5 .5 .5
    windows window glass : glass : box .9 1.01 .9 .5 .5 .5
    roof antenna frame : metal : box .3 .3 .1 .5 .5 1
tent yurt*2 teepee Zelt tente pavilion | 2.5 2.5 1.8
    canvas cover cloth tarp : fabric : shell 1 1 .98 .5 .5 .5
    pole poles peg Stange : wood4 metal : box .03 .03 1 .5 .5 .5
    rope ropes string : fabric : box .4 .02 .4 .9 .5 .3
fence gate palisade Zaun cloture railing barrier | 2 .1 1
    post plank board picket rail : wood6 metal3 : box .06 1 1 .1 .5 .5
    rail bar wire : wood4 metal3 : box 1 .4 .08 .5 .5 .7
    nail hinge? : metal : box .03 .3 .03 .1 .5 .7
well fountain Brunnen puits | 1.5 1.5 2
    base wall stones : stone5 marble : shell 1 1 .4 .5 .5 .2
    roof : wood4 ceramic : cone 1 1 .25 .5 .5 .88
    post beam : wood : box .06 .06 .6 .1 .5 .6
    bucket : wood3 metal : shell .2 .2 .12 .5 .5 .6
    rope : fabric : box .03 .03 .3 .5 .5 .75
statue monument*2 bust*0.35 sculpture*0.7 gravestone*0.5 tombstone*0.5 grave*0.7 Denkmal | 1 .8 2
    statue figure bust head body : stone5 marble3 metal2 : ball .8 .8 .7 .5 .5 .65
    base pedestal plinth Sockel : stone5 marble3 : box 1 1 .3 .5 .5 .15
    plaque cross? : metal3 stone : box .4 .02 .1 .5 .01 .15
signpost sign*0.8 roadsign Schild board billboard*2.5 | .6 .1 2
    post pole : wood4 metal3 : box .1 1 1 .5 .5 .5
    sign board plate : wood4 metal3 : box 1 .4 .3 .5 .3 .85
    rope nail? : fabric metal : box .05 .2 .05 .5 .2 .8
flag banner*0.6 pennant*0.4 Fahne drapeau flagpole goal | 1.2 .1 3
    flag cloth banner : fabric : sheet .9 .5 .3 .55 .5 .8
    pole rod stick mast : metal4 wood4 : box .04 .4 1 .05 .5 .5
    base foot? : metal2 stone2 wood : cyl .3 3 .04 .05 .5 .02
    ball knob? : metal : ball .08 .5 .03 .05 .5 1
bench parkbench Bank banc picnictable | 1.6 .6 .8
    seat slat plank back : wood6 stone metal : box 1 .7 .06 .5 .4 .5
    leg frame side arm : metal4 wood4 stone : legs 4 .06 .5
campfire bonfire firepit Lagerfeuer | .9 .9 .4
    log logs wood : wood : box .8 .15 .2 .5 .5 .3
    stone stones rock : stone : legs 8 .15 .2
    fire flame : plastic : cone .3 .3 .8 .5 .5 .5
    ash coal? : soil2 stone : cyl .6 .6 .05 .5 .5 .02
car truck*1.8 van*1.2 bus*2.7 taxi Auto voiture coche jeep pickup*1.2 suv police | 4.2 1.8 1.5
    body hood chassis Karosserie paint : metal7 plastic : box 1 .95 .6 .5 .5 .45
    window windshield glass : glass : box .4 .9 .25 .5 .5 .85
    tire tyre wheel Reifen pneu : rubber : legs 4 .16 .4
    rim hubcap wheel : metal : legs 4 .1 .25
    headlight light taillight : glass3 plastic : box .03 .2 .08 .99 .25 .45
    bumper grill fender trim : metal2 plastic3 : box .05 .9 .12 .98 .5 .3
    seat interior : leather fabric2 plastic : box .2 .3 .3 .5 .3 .5
    mirror? : plastic2 glass : box .04 .08 .06 .6 .02 .7
    plate : metal : box .01 .25 .05 1 .5 .3
tractor bulldozer excavator*1.8 crane*3 forklift combine | 4 2.2 3
    body cabin hood arm : metal : box .8 .6 .6 .5 .5 .5
    tire wheel track : rubber : legs 4 .25 .45
    window glass : glass : box .3 .5 .25 .6 .5 .8
    bucket blade shovel : metal : box .2 1 .3 .05 .5 .2
    pipe exhaust : metal : box .03 .03 .3 .3 .5 .9
    seat? : leather2 plastic2 : box .15 .2 .15 .6 .5 .5
bicycle bike scooter*0.8 motorcycle*1.2 Fahrrad velo moto*1.2 | 1.7 .5 1.1
    frame fork body tank : metal : box .7 .1 .5 .5 .5 .55
    tire wheel : rubber : legs 2 .35 .6
    rim spokes chain pedal : metal : legs 2 .3 .5
    saddle seat Sattel : leather4 plastic rubber : box .15 .3 .08 .3 .5 .85
    handlebar : metal : box .1 1 .1 .8 .5 .9
    grip : rubber3 plastic : box .05 .2 .05 .8 .05 .9
    light : glass3 plastic : box .05 .1 .08 .85 .5 .8
skateboard scooter sled*1.4 surfboard*2.4 skis*2.1 | .8 .2 .12
    deck board : wood5 plastic : box 1 1 .15 .5 .5 .8
    truck axle : metal : box .1 .8 .2 .2 .5 .5
    wheel wheels : plastic2 rubber3 : legs 4 .08 .4
train locomotive wagon railcar tram Zug Lokomotive | 9 2.6 3.5
    body boiler cabin : metal5 wood : box 1 .95 .7 .5 .5 .55
    wheel wheels : metal : legs 6 .1 .25
    window : glass : box .1 1 .2 .5 .5 .75
    chimney pipe rod : metal : box .05 .2 .3 .9 .5 .9
    coal? : stone : box .15 .8 .1 .1 .5 .8
    track rail rails : metal : box 1 .05 .05 .5 .2 .02
cart wagon*1.6 carriage*1.8 wheelbarrow*0.7 Karren chariot | 2 1.2 1.3
    body plank side bed : wood : box .7 .9 .4 .5 .5 .5
    wheel spoke : wood4 metal : legs 2 .1 .7
    rim band axle : metal : legs 2 .12 .75
    handle shaft : wood : box .5 .06 .06 .1 .2 .4
    awning cover canvas? : fabric : sheet .8 1 .4 .5 .5 .9
    hay? : plant : ball .6 .8 .3 .5 .5 .75
boat ship*5 rowboat*0.7 sailboat*1.4 canoe*0.9 Boot Schiff bateau pirate*5 | 5 1.8 3
    hull body plank deck : wood6 metal2 plastic : shell 1 1 .35 .5 .5 .17
    mast oar paddle : wood4 metal : box .03 .05 .9 .5 .5 .6
    sail Segel voile : fabric : sheet .5 .1 .6 .5 .5 .65
    rope rigging : fabric : box .3 .02 .5 .4 .5 .6
    cannon anchor nail? : metal : cyl .1 .1 .05 .6 .2 .35
    window? : glass : box .05 .01 .05 .1 .02 .3
raft dinghy inflatable lifebuoy*0.3 airmattress | 2.4 1.3 .4
    tube body ring : rubber5 plastic : ball 1 1 .8 .5 .5 .5
    rope handle : fabric2 rubber : box .9 .02 .05 .5 .02 .7
    paddle? : wood plastic : box .6 .05 .05 .5 .5 .9
airplane plane jet*1.8 helicopter*1.4 rocket*2.5 spaceship drone*0.06 Flugzeug avion ufo | 8 8 2.5
    body fuselage wing hull tail : metal7 plastic : box 1 .15 .4 .5 .5 .5
    window cockpit windshield canopy : glass : box .1 .1 .15 .85 .5 .65
    propeller rotor blade : metal4 wood plastic : box .03 .3 .5 .98 .5 .5
    tire wheel : rubber : legs 3 .04 .12
    engine thruster exhaust : metal : cyl .15 .05 .2 .5 .25 .4
    light? : glass : ball .02 .02 .04 .5 0 .5
"""
