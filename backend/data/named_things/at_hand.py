"""Tools, weapons, devices, clothes, creatures, food and toys; see `things.read_things`."""

from __future__ import annotations

__all__ = ["AT_HAND"]

AT_HAND = """
sword dagger*0.4 katana Schwert epee espada blade*0.8 saber knife*0.3 | .15 .04 1
    blade Klinge edge : metal : box .3 .4 .75 .5 .5 .6
    hilt grip handle Griff : leather3 wood4 metal : box .3 .6 .18 .5 .5 .1
    guard crossguard pommel : metal : box 1 1 .05 .5 .5 .22
    gem jewel? : glass : ball .1 .5 .04 .5 .5 .22
axe hammer*0.5 pickaxe*1.1 mace*0.9 hoe Axt Hammer*0.5 hache*0.9 martillo hatchet*0.5 warhammer*1.2 | .3 .08 .8
    head blade Kopf : metal5 stone : box 1 1 .25 .5 .5 .88
    handle shaft haft grip Stiel : wood : box .15 .5 .95 .5 .5 .47
    wrap strap? : leather3 fabric : box .17 .55 .15 .5 .5 .15
shovel rake pitchfork spade scythe Schaufel Rechen | .25 .1 1.4
    head blade tines : metal : box 1 1 .25 .5 .5 .12
    handle shaft Stiel : wood5 metal : box .12 .3 .8 .5 .5 .6
spear lance halberd trident staff wand Speer scepter | .12 .08 1.9
    tip head blade point : metal4 stone glass : box .8 .8 .15 .5 .5 .92
    shaft pole staff handle : wood6 metal : box .3 .4 .9 .5 .5 .45
    ribbon wrap feather? : fabric2 leather2 fur : box .5 .6 .08 .5 .5 .8
bow crossbow*0.7 Bogen arrow*0.65 quiver*0.55 arc | .6 .1 1.2
    bow limb body stock : wood : box .8 .6 1 .5 .5 .5
    string Sehne : fabric : box .02 .1 .95 .1 .5 .5
    arrow shaft : wood : box .9 .1 .03 .5 .5 .5
    tip arrowhead : metal4 stone : box .08 .3 .05 .95 .5 .5
    feather fletching : fur : box .1 .3 .06 .1 .5 .5
    grip? : leather : box .2 .8 .12 .9 .5 .5
shield Schild bouclier buckler | .6 .12 .8
    face front board plank body : wood5 metal4 : box .95 .6 .95 .5 .5 .5
    rim edge boss rivet emblem : metal : box 1 1 1 .5 .5 .5
    strap back? : leather : box .4 .3 .1 .5 .9 .5
helmet armor armour cuirass gauntlet Helm casque knight | .3 .3 .35
    helmet plate shell body metal : metal6 leather : shell 1 1 .9 .5 .5 .5
    visor trim horn crest : metal4 glass : box .8 .1 .3 .5 .02 .5
    strap padding lining : leather3 fabric2 foam : box .9 .9 .1 .5 .5 .1
    plume feather? : fur : box .1 .8 .4 .5 .5 .95
pistol*0.3 rifle*1.4 gun*0.4 revolver*0.35 shotgun*1.4 blaster*0.5 cannon*2.5 Gewehr*1.5 musket*1.8 sniper*1.7 | \
.7 .06 .25
    barrel slide body receiver magazine : metal6 plastic : box .9 .7 .35 .55 .5 .75
    grip stock handle Griff : wood3 plastic3 rubber : box .2 .8 .7 .1 .5 .35
    trigger sight scope bolt : metal : box .06 .3 .15 .35 .5 .45
    lens? : glass : box .02 .5 .15 .2 .5 .95
    strap? : fabric leather : box .6 .1 .1 .5 .5 .3
bomb grenade*0.6 dynamite ammo*0.5 bullet*0.2 cartridge*0.3 mine*1.5 barrel*4 | .15 .15 .2
    body shell case : metal6 plastic : ball 1 1 .9 .5 .5 .45
    fuse wick rope : fabric : box .05 .05 .2 .5 .5 .95
    cap pin ring : metal : box .3 .3 .1 .5 .5 .9
wrench screwdriver pliers saw drill*1.1 Schraubenschluessel tool toolbox*1.8 anvil*2 | .25 .06 .06
    head blade jaw bit body : metal : box .6 1 1 .3 .5 .5
    handle grip Griff : plastic3 wood3 rubber2 metal : box .45 .8 .8 .77 .5 .5
scissors shears compass key lock padlock keyring chain | .12 .06 .02
    blade body ring key shackle link : metal : box 1 1 1 .5 .5 .5
    handle grip? : plastic : box .4 1 1 .8 .5 .5
coin*0.25 medal crown*1.9 ring*0.22 necklace*2.5 earring*0.3 trophy*3 cup*1.2 jewelry Krone*1.9 Muenze | .1 .1 .08
    body band ring coin gold crown : metal : cyl 1 1 .8 .5 .5 .4
    gem jewel stone pearl : glass4 stone : ball .2 .2 .2 .5 .1 .8
    cord ribbon strap? : leather2 fabric2 : box .9 .03 .8 .5 .5 .9
    cushion base? : fabric wood3 marble : box 1 1 .2 .5 .5 .1
phone smartphone tablet remote calculator controller gamepad Handy telephone radio walkie | .15 .08 .012
    case body back shell Gehaeuse : plastic5 metal3 : box 1 1 1 .5 .5 .5
    screen display glass : glass : box .9 .9 .1 .5 .5 .98
    button buttons key dial : plastic4 rubber2 metal : box .1 .15 .1 .2 .5 .95
    camera lens? : glass : cyl .1 .15 .1 .9 .8 .05
    antenna? : metal : box .6 .05 .3 1 .9 .5
computer monitor laptop*0.65 television*2 tv*2 screen Fernseher*2 Bildschirm printer*0.8 console server*2 | .6 .2 .45
    case body frame housing back : plastic6 metal3 : box 1 .5 1 .5 .5 .5
    screen display : glass4 plastic : box .92 .05 .8 .5 .2 .55
    stand base foot : plastic3 metal4 : box .4 1 .05 .5 .5 .02
    keyboard key keys button : plastic : box .9 .4 .05 .5 .5 .1
    cable wire : rubber : box .03 .5 .03 .5 .8 .1
camera camcorder binoculars telescope*6 microscope*2.3 projector*2 Kamera | .15 .1 .1
    body case : plastic4 metal4 leather : box 1 .6 .8 .5 .6 .4
    lens glass : glass : cyl .35 .1 .5 .5 .05 .4
    tube barrel ring : metal3 plastic2 : cyl .4 .4 .55 .5 .25 .4
    strap? : leather2 fabric : box 1 .05 .6 .5 .9 .8
    tripod leg? : wood metal3 : legs 3 .05 .6
    button dial : metal2 plastic2 : cyl .1 .1 .08 .2 .6 .9
speaker boombox headphones microphone amplifier Lautsprecher | .3 .25 .4
    case body box cabinet : plastic4 wood3 : box 1 1 1 .5 .5 .5
    cone membrane grille mesh : paper2 metal3 fabric2 plastic : cyl .6 .1 .5 .5 .02 .4
    pad cushion? : leather2 foam2 : box .3 .2 .3 .5 .1 .5
    handle knob button antenna : metal3 plastic3 : box .8 .1 .08 .5 .5 .98
guitar violin*0.6 cello*1.2 banjo lute ukulele*0.55 Gitarre | .35 .1 1
    body top back soundboard : wood : box 1 1 .5 .5 .5 .25
    neck fretboard head : wood : box .15 .3 .55 .5 .5 .72
    string strings Saite : metal3 plastic : box .08 .05 .8 .5 .1 .5
    peg tuner bridge fret : metal3 plastic wood : box .2 .2 .08 .5 .3 .95
drum tambourine*0.65 bongo*0.7 Trommel tambour timpani*2 | .4 .4 .35
    shell body barrel : wood5 metal2 : cyl 1 1 .9 .5 .5 .5
    skin head membrane Fell : leather4 plastic2 : cyl .95 .95 .03 .5 .5 .98
    rim hoop ring screw : metal3 wood : cyl 1.02 1.02 .06 .5 .5 .95
    rope cord? : fabric : box 1 1.01 .8 .5 .5 .5
    stick drumstick : wood : box .7 .04 .04 .5 .5 1
piano organ harp xylophone Klavier | 1.5 .7 1.2
    case body lid frame : wood : box 1 1 1 .5 .5 .5
    key keys : plastic4 wood : box .85 .2 .03 .5 .1 .55
    pedal string pipe : metal : box .1 .1 .05 .5 .1 .05
trumpet horn flute*1.5 saxophone bell*0.7 gong*2 whistle*0.12 tuba*2 Trompete Glocke*0.7 | .4 .15 .3
    body tube bell pipe : metal6 wood : shell 1 1 1 .5 .5 .5
    mouthpiece clapper valve key : metal4 plastic : box .1 .2 .2 .1 .5 .5
person man woman boy*0.7 girl*0.7 character knight worker adventurer human farmer wizard ninja | .5 .3 1.75
    skin head face arm hand body leg Haut : flesh : ball .6 .7 .4 .5 .5 .6
    shirt top jacket coat dress tshirt suit sweater : fabric : shell .9 .8 .3 .5 .5 .65
    pants trousers skirt jeans shorts legs : fabric6 denim : shell .5 .6 .4 .5 .5 .3
    shoe shoes boots feet : leather4 fabric rubber : box .5 1 .06 .5 .5 .03
    hair beard eyebrows Haare : fur : ball .3 .5 .1 .5 .5 .95
    belt strap bag : leather : box .55 .7 .03 .5 .5 .5
    eye eyes : glass3 flesh : box .2 .1 .02 .5 .05 .9
    hat cap helmet? : fabric3 leather metal : shell .4 .7 .08 .5 .5 .98
    sock socks tie scarf cape? : fabric : box .3 .3 .1 .5 .4 .1
    buckle button sword armor? : metal : box .1 .1 .1 .5 .05 .5
dog*0.7 cat*0.4 horse*1.9 cow*1.9 pig*1.1 deer*1.4 wolf*1 fox*0.65 bear*1.6 lion*1.6 tiger*1.7 sheep*1 \
rabbit*0.35 mouse*0.09 Hund*0.7 chat*0.4 Pferd*1.9 donkey*1.5 | 1.2 .4 .9
    body skin belly head main coat : flesh4 fur4 : ball 1 1 .7 .5 .5 .55
    hair mane tail fur : fur : box .3 .2 .3 .1 .5 .7
    ear ears nose muzzle snout : flesh3 fur : box .1 .4 .1 .9 .5 .95
    hoof hooves horn horns antler claw teeth : stone flesh2 wood : legs 4 .08 .1
    eye eyes : glass2 flesh2 : box .05 .4 .05 .95 .5 .85
    saddle collar? : leather4 fabric : box .3 .9 .1 .5 .5 .85
bird*0.5 chicken duck penguin*1.6 owl parrot*0.9 eagle*2 pigeon*0.8 Vogel oiseau | .4 .2 .4
    body feather feathers wing belly main : fur5 flesh3 : ball 1 1 .8 .5 .5 .5
    beak bill Schnabel : flesh3 stone : box .15 .2 .1 .95 .5 .75
    leg foot feet claw : flesh : legs 2 .08 .2
    comb wattle crest : flesh : box .1 .1 .15 .8 .5 .95
    eye eyes : glass2 flesh2 : box .05 .6 .06 .85 .5 .85
fish*0.6 shark*6 whale*25 dolphin*4 koi octopus*1.5 squid*1.5 crab*0.35 lobster*0.6 jellyfish*0.6 snake*2 \
frog*0.18 turtle*0.8 lizard*0.5 dinosaur*12 dragon*10 spider*0.1 insect*0.06 bee*0.04 butterfly*0.12 | .6 .25 \
.25
    body main skin belly head : flesh : ball 1 .8 .8 .5 .5 .5
    fin fins tail tentacle leg : flesh : sheet .3 .1 .6 .2 .5 .7
    eye eyes : glass2 flesh2 : box .04 .8 .1 .9 .5 .6
    shell claw horn spike? : stone2 flesh2 : ball .5 .7 .4 .5 .5 .7
    wing wings? : flesh3 leaf : sheet .5 1.5 .1 .5 .5 .8
    teeth? : stone : box .05 .3 .05 .95 .5 .4
skeleton zombie ghost*0.9 goblin*0.75 orc*1.15 monster*1.2 alien slime*0.5 demon robot mech*2 | .7 .5 1.6
    body skin head arm main : flesh4 stone metal2 : ball .8 .9 .7 .5 .5 .5
    bone bones skull teeth horn : stone4 flesh : box .5 .4 .3 .5 .5 .8
    cloth rags robe : fabric : shell .8 .8 .3 .5 .5 .4
    eye eyes : glass2 flesh : box .3 .1 .05 .5 .05 .9
    armor weapon sword : metal : box .3 .5 .4 .1 .3 .5
shirt jacket dress pants tshirt hoodie sweater coat jeans skirt Hemd Kleid clothes costume uniform | .6 .25 .8
    cloth body sleeve fabric front : fabric6 denim leather : shell 1 1 1 .5 .5 .5
    button zipper buckle : metal2 plastic3 : box .04 .05 .04 .5 .05 .5
    belt collar? : leather fabric3 : box .8 .9 .05 .5 .5 .4
hat cap beanie headband helmet Hut chapeau scarf*3 glove*0.8 mitten*0.8 sock*0.9 | .3 .3 .2
    hat cap body cloth brim : fabric6 leather2 : shell 1 1 .9 .5 .5 .5
    band ribbon strap : fabric3 leather2 : box 1.01 1.01 .1 .5 .5 .3
    bobble pompom fluff rim trim fur? : fur : ball .25 .25 .25 .5 .5 .95
    buckle feather? : metal2 fur2 : box .15 .05 .1 .5 .02 .3
shoe boot sneaker sandal slipper Schuh chaussure zapato bottes | .28 .1 .12
    upper body shaft : leather5 fabric3 : shell 1 1 .8 .5 .5 .6
    sole Sohle heel : rubber6 leather : box 1 1 .2 .5 .5 .1
    lace laces Schnuersenkel : fabric : box .4 .6 .1 .6 .5 .8
    buckle eyelet? : metal : box .1 .5 .1 .6 .5 .7
glasses sunglasses goggles mask Brille lunettes monocle | .15 .14 .05
    frame temple rim : plastic5 metal4 : box 1 1 .9 .5 .5 .5
    lens lenses glass : glass : box .45 .05 .9 .25 .02 .5
    nosepad pad earhook tip : rubber : box .1 .1 .3 .5 .1 .4
    strap? : rubber3 fabric : box 1 .9 .3 .5 .6 .5
apple orange banana*1.8 pear lemon strawberry*0.35 melon*2.3 tomato carrot*1.7 potato pumpkin*3 onion pepper \
eggplant*2 fruit vegetable Apfel pomme broccoli*1.5 cabbage*1.8 avocado | .1 .1 .1
    fruit flesh body peel skin : food : ball 1 1 .95 .5 .5 .47
    stem stalk : wood2 plant3 : box .06 .06 .15 .5 .5 .95
    leaf leaves green top : leaf3 plant2 : tufts 2 .3 .1 .5 .5 .95
bread*1.5 cake*1.3 pie donut*0.5 cookie*0.4 cheese burger*0.6 pizza*1.6 sandwich hotdog*0.9 steak sausage*0.8 \
sushi*0.3 taco*0.8 icecream pancake Brot*1.5 Kuchen*1.3 gateau*1.3 croissant*0.8 cupcake*0.4 | .2 .18 .08
    bread dough bun crust base cake : food : ball 1 1 .7 .5 .5 .35
    icing cream topping cheese meat patty filling frosting : food : box .9 .9 .2 .5 .5 .8
    sprinkles cherry lettuce salad tomato : food : tufts 5 .1 .1 .5 .5 .95
    plate wrapper? : ceramic2 paper2 : cyl 1.2 1.2 .05 .5 .5 .02
    candle? : wax : box .04 .04 .3 .5 .5 1
egg*0.4 meat chicken*1.6 drumstick turkey*2.2 ham*1.6 bacon fishfillet Ei*0.4 Fleisch viande | .15 .1 .07
    meat body egg flesh : food : ball .8 1 1 .5 .5 .5
    bone : stone4 food : box .4 .2 .2 .95 .5 .5
    pan plate? : metal ceramic2 : cyl 1.3 1.5 .1 .5 .5 .05
can soda jar tin Dose conserve cookiejar | .08 .08 .13
    can jar body : metal5 glass4 : cyl 1 1 .9 .5 .5 .45
    lid top tab : metal5 plastic : cyl .95 .95 .08 .5 .5 .97
    label wrapper : paper4 plastic : cyl 1.01 1.01 .6 .5 .5 .45
    jam honey food content : food : cyl .9 .9 .7 .5 .5 .4
teddy teddybear plush doll puppet stuffedtoy Plueschtier peluche Puppe | .3 .2 .4
    body head arm leg : fabric4 fur5 : ball 1 1 .9 .5 .5 .5
    eye nose button : plastic4 glass : ball .05 .05 .05 .5 .05 .8
    ribbon bow dress? : fabric : box .4 .3 .1 .5 .2 .6
ball football basketball tennisball*0.3 beachball*1.6 Ball balloon*1.3 bowling | .22 .22 .22
    ball body skin panel : rubber4 leather2 plastic2 : ball 1 1 1 .5 .5 .5
    stripe seam string? : fabric rubber plastic : box .2 1 1 .5 .5 .5
rubberduck toycar toyblock lego*0.35 dice*0.2 chess*1 puzzle*3 toy Spielzeug domino*0.5 | .1 .1 .08
    body block piece main : plastic5 wood4 rubber : box 1 1 .9 .5 .5 .5
    wheel wheels : plastic3 rubber2 wood : legs 4 .2 .25
    eye beak dot : plastic : box .1 .1 .1 .5 .1 .8
racket bat golfclub*1.5 dumbbell*0.6 barbell*2.5 hockeystick*2 skateboard baseballbat | .7 .25 .05
    shaft frame bar body head : wood4 metal4 plastic : box 1 .2 1 .5 .5 .5
    grip handle wrap tape : rubber3 leather3 fabric : box .25 .25 1 .1 .5 .5
    string net strings : plastic3 fabric : sheet .35 .9 .1 .8 .5 .5
    weight disc plate? : metal4 rubber : cyl .1 1 3 .9 .5 .5
pen pencil marker crayon brush eraser ruler scissors stapler Stift crayon | .15 .012 .012
    body barrel shaft : wood4 plastic5 metal : box .85 1 1 .45 .5 .5
    tip point nib : metal3 stone plastic : box .1 .6 .6 .95 .5 .5
    eraser cap : rubber3 plastic3 : box .08 1 1 .02 .5 .5
paper letter scroll map*2 newspaper*1.4 envelope card*0.3 leaflet Papier carta parchment origami | .3 .2 .005
    paper sheet page scroll : paper : sheet 1 1 1 .5 .5 .5
    seal ribbon? : wax2 fabric : cyl .1 .15 1 .5 .5 .9
    rod roller? : wood : box .05 1 4 .02 .5 .5
rope cable hose*3 wire cord Seil Kabel tube pipe | 1.5 .4 .1
    rope cord line string : fabric : box 1 .1 .8 .5 .5 .5
    cable hose wire tube : rubber5 plastic2 metal : box 1 .1 .8 .5 .5 .5
    plug hook end connector : metal3 plastic3 : box .05 .15 1 .98 .5 .5
pipe valve*0.3 hydrant mailbox*1.2 trafficcone*0.6 trafficlight*2.8 barrier antenna*3 generator*1.5 machine \
conveyor vent turret | .5 .5 1
    body pipe case main housing : metal6 plastic3 : box 1 1 .9 .5 .5 .5
    valve knob lever bolt screw : metal : cyl .2 .2 .15 .5 .05 .6
    light lamp glass : glass3 plastic2 : ball .15 .15 .12 .5 .1 .9
    base foot : metal2 stone2 rubber plastic : box 1.1 1.1 .06 .5 .5 .03
    cable wire? : rubber : box .1 .1 .6 .9 .5 .4
snowman Schneemann scarecrow | .8 .8 1.7
    body head torso snow : soil : ball 1 1 .4 .5 .5 .2
    arm stick twig : wood : box .6 .04 .05 .8 .5 .6
    hat scarf : fabric : shell .4 .4 .15 .5 .5 .95
    nose carrot : food : cone .1 .25 .05 .5 .05 .85
    button eye coal : stone : ball .05 .05 .03 .5 .05 .6
mattress foamblock seatfoam styrofoam padding packaging yogamat | 1.2 .8 .15
    foam block core body : foam : box 1 1 .9 .5 .5 .5
    cover sheet? : fabric : box 1.01 1.01 .5 .5 .5 .8
"""
