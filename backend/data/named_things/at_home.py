"""Things of rooms, kitchens and tables; see `things.read_things` for what a line says."""

from __future__ import annotations

__all__ = ["AT_HOME"]

AT_HOME = """
chair stool*0.6 Stuhl chaise silla sedia | .5 .5 .9
    seat Sitz : wood4 plastic2 fabric2 leather metal : box 1 1 .08 .5 .5 .48
    back backrest Lehne : wood3 fabric leather plastic metal : box 1 .08 .5 .5 .95 .75
    leg legs Bein pied : wood4 metal3 plastic : legs 4 .07 .45
    cushion Kissen coussin? : fabric4 leather : box .9 .9 .1 .5 .5 .56
officechair deskchair Drehstuhl | .6 .6 1.1
    seat back cushion Sitz : fabric4 leather2 plastic : box .8 .8 .12 .5 .5 .45
    shell armrest arm : plastic : box 1 .1 .3 .5 .5 .6
    base foot pole gas : metal3 plastic : legs 5 .06 .3
    wheel castor caster : plastic2 rubber : legs 5 .08 .06
armchair*0.5 sofa couch loveseat*0.75 Sessel*0.5 canape divano | 1.9 .9 .8
    seat cushion upholstery Polster body : fabric5 leather2 : box 1 1 .5 .5 .5 .35
    back backrest : fabric5 leather2 : box 1 .25 .9 .5 .87 .5
    pillow Kissen? : fabric : box .25 .15 .3 .2 .7 .65
    foot feet leg Fuss : wood4 metal : legs 4 .05 .1
bed Bett lit cama letto bunkbed*1.1 crib*0.6 | 1.5 2.1 .9
    frame headboard Gestell : wood5 metal : box 1 1 .25 .5 .5 .2
    mattress Matratze : fabric4 foam : box .92 .95 .2 .5 .5 .42
    blanket sheets cover duvet Decke : fabric : box .98 .7 .12 .5 .4 .55
    pillow Kissen : fabric : box .4 .18 .12 .3 .9 .58
table desk Tisch mesa tavolo bureau*0.8 | 1.4 .8 .75
    top tabletop Platte : wood6 glass marble plastic metal stone : box 1 1 .05 .5 .5 .97
    leg legs frame Beine : wood5 metal3 : legs 4 .06 .95
    drawer Schublade? : wood : box .35 .7 .15 .75 .5 .85
    tablecloth cloth Tischdecke? : fabric : sheet 1 1 .25 .5 .5 .9
coffeetable glasstable | 1.1 .7 .45
    top plate : glass4 wood : box 1 1 .04 .5 .5 .97
    frame leg : metal3 wood : legs 4 .05 .95
cabinet dresser*0.7 wardrobe cupboard*0.8 Schrank armoire armadio shelf bookcase Regal | 1 .5 1.7
    body case corpus Korpus side : wood6 metal plastic : box 1 1 1 .5 .5 .5
    door Tuer porte : wood5 glass : box .48 .05 .95 .25 .02 .5
    drawer Schublade tiroir : wood5 metal plastic : box .9 .05 .2 .5 .02 .3
    handle knob Griff poignee : metal4 wood plastic : box .03 .05 .06 .45 .01 .5
    shelf board Brett : wood5 metal glass : box .95 .9 .02 .5 .5 .5
books*0.5 bookshelf*1.5 bookstand | .6 .25 .4
    book cover page pages : paper5 leather : box .2 .9 .9 .3 .5 .5
    shelf board : wood : box 1 1 .05 .5 .5 .03
book Buch notebook diary | .16 .23 .03
    cover spine : paper3 leather2 : box 1 1 .1 .5 .5 .95
    pages page : paper : box .95 .95 .85 .5 .5 .5
lamp*0.7 floorlamp*1.1 tablelamp*0.35 Lampe*0.7 lampara lampada streetlight*3.5 | .4 .4 1.4
    shade lampshade Schirm : fabric4 paper glass plastic metal : shell 1 1 .25 .5 .5 .87
    pole stand stem Stange : metal5 wood : box .05 .05 .8 .5 .5 .4
    base foot Fuss : metal4 wood ceramic stone : cyl .6 .6 .04 .5 .5 .02
    bulb Birne light : glass : ball .15 .15 .08 .5 .5 .85
    cable cord? : rubber : box .02 .5 .02 .5 .5 .01
chandelier candleholder candelabra Leuchter | .5 .5 .6
    arm frame holder : metal5 wood : box 1 1 .5 .5 .5 .4
    candle Kerze bougie : wax : cyl .06 .06 .2 .2 .2 .8
    chain : metal : box .05 .05 .4 .5 .5 .8
    flame : plastic : ball .05 .05 .1 .2 .2 .95
candle Kerze bougie vela | .08 .08 .2
    body candle : wax : cyl 1 1 .9 .5 .5 .45
    wick Docht : fabric : box .05 .05 .1 .5 .5 .95
    plate holder? : metal3 ceramic : cyl 1.6 1.6 .05 .5 .5 .02
lantern Laterne | .25 .25 .4
    frame cage top base : metal5 wood : box 1 1 .9 .5 .5 .45
    pane glass : glass : box .8 .8 .5 .5 .5 .45
    candle? : wax : cyl .25 .25 .3 .5 .5 .3
    handle ring : metal : box .4 .05 .2 .5 .5 .95
curtain drapes Vorhang rideau cortina | 1.6 .15 2.2
    curtain cloth drape left right : fabric : sheet .48 1 .95 .25 .5 .48
    rod pole rail Stange : metal3 wood : box 1 .2 .03 .5 .5 .98
    ring? : metal : box .03 .3 .04 .3 .5 .97
carpet rug Teppich tapis alfombra doormat | 1.8 1.2 .015
    rug carpet body : fabric : box 1 1 1 .5 .5 .5
    border fringe? : fabric : box 1 .05 .9 .5 .02 .5
pillow cushion Kissen coussin bolster | .5 .5 .18
    pillow cover body : fabric8 leather : ball 1 1 1 .5 .5 .5
blanket towel tablecloth Handtuch serviette*0.35 | 1.2 .8 .1
    cloth towel : fabric : sheet 1 1 1 .5 .5 .5
vase Vase jarron urn*1.4 amphora*1.8 | .2 .2 .35
    vase body Gefaess : ceramic6 glass3 metal stone : shell 1 1 1 .5 .5 .5
flowers vase bouquet Blumenvase | .3 .3 .5
    vase pot : ceramic4 glass4 : shell .45 .45 .5 .5 .5 .25
    stem stalk Stiel : plant : tufts 6 .04 .5 .5 .5 .55
    flower petal blossom Bluete fleur : leaf2 plant3 : tufts 6 .2 .15 .5 .5 .9
    leaf leaves : leaf : tufts 5 .15 .1 .5 .5 .65
houseplant pottedplant planter flowerpot Topfpflanze | .5 .5 .9
    pot planter Topf : ceramic6 plastic2 wood stone metal : shell .5 .5 .35 .5 .5 .17
    soil dirt earth Erde : soil : cyl .45 .45 .02 .5 .5 .32
    leaves leaf Blatt foliage plant : leaf2 plant4 : tufts 9 .4 .4 .5 .5 .7
    stem stalk : plant3 wood : box .06 .06 .4 .5 .5 .5
bottle Flasche bouteille winebottle flask*0.8 potion*0.6 | .09 .09 .3
    body bottle Flasche : glass5 plastic2 ceramic metal : cyl 1 1 .8 .5 .5 .4
    cork stopper plug : cork : cyl .4 .4 .1 .5 .5 .95
    cap lid Deckel : plastic3 metal2 : cyl .4 .4 .08 .5 .5 .96
    label etikett? : paper : box 1.01 1.01 .3 .5 .5 .35
    liquid potion : plastic : cyl .9 .9 .5 .5 .5 .3
wineglass goblet Weinglas tumbler*0.7 cup*0.6 glass*0.8 | .08 .08 .18
    bowl glass cup : glass7 metal : shell 1 1 .5 .5 .5 .75
    stem foot : glass6 metal : cyl .5 .5 .45 .5 .5 .25
mug teacup Tasse tasse taza cup saucer | .12 .09 .09
    cup body mug : ceramic6 metal plastic glass wood : shell .8 .9 1 .5 .5 .5
    handle Henkel : ceramic5 metal : box .3 .1 .6 .95 .5 .5
    saucer Untertasse? : ceramic : cyl 1.4 1.4 .1 .5 .5 .02
    tea coffee? : plastic : cyl .7 .7 .02 .5 .5 .8
plate bowl dish Teller Schale assiette plato | .25 .25 .05
    plate bowl dish : ceramic6 wood metal plastic glass : shell 1 1 1 .5 .5 .5
teapot kettle Kanne theiere jug pitcher | .22 .16 .2
    body pot : ceramic4 metal3 glass : ball .8 1 .8 .45 .5 .4
    lid Deckel : ceramic3 metal2 : cyl .4 .5 .1 .45 .5 .85
    handle : ceramic2 metal wood plastic : box .15 .1 .6 .95 .5 .5
    spout : ceramic3 metal2 : box .2 .15 .4 .05 .5 .6
pan pot cookingpot Pfanne Topf casserole wok | .4 .25 .12
    pan pot body : metal : shell .6 1 .8 .3 .5 .4
    handle Griff : plastic2 wood2 metal : box .45 .1 .1 .78 .5 .6
    lid Deckel? : metal2 glass : cyl .6 1 .1 .3 .5 .9
knife fork spoon cutlery Messer Gabel ladle spatula | .2 .02 .02
    blade head Klinge : metal : box .6 1 .4 .3 .5 .5
    handle grip Griff : metal3 wood3 plastic2 : box .4 .8 1 .8 .5 .5
cuttingboard choppingboard Brett tray | .4 .3 .03
    board tray : wood6 plastic metal : box 1 1 1 .5 .5 .5
fridge*1.8 refrigerator*1.8 Kuehlschrank*1.8 stove*0.9 oven*0.9 dishwasher*0.85 washer*0.85 Waschmaschine*0.85 \
microwave*0.5 dryer*0.85 freezer*1.5 | .6 .6 1
    body case housing Gehaeuse : metal5 plastic : box 1 .95 1 .5 .5 .5
    door Tuer porte : metal4 glass plastic : box .9 .05 .7 .5 .02 .5
    window glass : glass : box .5 .02 .4 .5 .01 .5
    handle Griff : metal3 plastic : box .5 .04 .04 .5 .01 .85
    knob button Knopf dial : plastic3 metal : cyl .06 .03 .06 .3 .01 .95
toaster blender mixer coffeemachine Kaffeemaschine | .3 .25 .35
    body case : plastic3 metal4 : box 1 1 .8 .5 .5 .4
    jug pitcher : glass3 plastic : shell .5 .5 .5 .5 .5 .6
    button lever knob : plastic : box .1 .1 .1 .9 .5 .5
sink bathtub*2.3 toilet washbasin Waschbecken Badewanne*2.3 baignoire*2.3 | .7 .6 .6
    basin bowl body tub : ceramic6 metal plastic : shell 1 1 .7 .5 .5 .5
    tap faucet Hahn robinet : metal : box .1 .3 .3 .5 .8 .85
    seat lid? : plastic4 wood : box .8 .8 .05 .5 .4 .7
    drain pipe : metal3 plastic : cyl .1 .1 .2 .5 .5 .1
mirror Spiegel miroir | .6 .05 1
    glass mirror pane : glass : box .9 .5 .9 .5 .5 .5
    frame Rahmen : wood4 metal3 plastic : box 1 1 1 .5 .5 .5
picture painting Bild poster*1.4 frame | .6 .03 .4
    canvas picture print : fabric2 paper3 : box .9 .3 .9 .5 .3 .5
    frame Rahmen cadre : wood5 metal plastic : box 1 1 1 .5 .5 .5
clock watch*0.3 Uhr horloge reloj | .3 .06 .3
    case body frame : plastic3 wood3 metal3 : cyl 1 1 1 .5 .5 .5
    face dial : paper2 plastic3 metal : box .9 .1 .9 .5 .1 .5
    hand hands Zeiger : metal3 plastic : box .05 .05 .4 .5 .05 .7
    glass cover? : glass : box .9 .05 .9 .5 .02 .5
    strap band? : leather3 metal rubber : box .3 .3 2 .5 .5 .5
door Tuer porte puerta gate Tor | .9 .08 2
    door panel leaf Blatt : wood6 metal3 glass : box .9 .5 .95 .5 .5 .48
    frame Rahmen : wood5 metal2 stone : box 1 1 1 .5 .5 .5
    handle knob Klinke : metal : box .1 .6 .05 .85 .5 .5
    hinge Scharnier : metal : box .03 .2 .08 .05 .5 .8
window Fenster fenetre | 1 .1 1.2
    pane glass Scheibe : glass : box .9 .2 .9 .5 .5 .5
    frame Rahmen sash : wood5 plastic2 metal2 : box 1 1 1 .5 .5 .5
    clasp handle : metal : box .05 .5 .1 .5 .3 .5
box crate chest Kiste caja cassa trunk*1.2 barrel*1.5 Fass*1.5 keg | .6 .5 .5
    box crate body side plank staves : wood6 metal plastic : box 1 1 .9 .5 .5 .45
    lid Deckel : wood5 metal plastic : box 1 1 .1 .5 .5 .95
    band hoop lock edge corner Beschlag : metal : box 1.02 1.02 .05 .5 .5 .3
cardboardbox parcel Karton carton package | .4 .3 .3
    box side flap : cardboard : shell 1 1 1 .5 .5 .5
    tape label? : plastic paper : box .2 1.01 .01 .5 .5 .99
basket Korb panier wickerbasket | .4 .3 .25
    basket body weave : wood5 plastic metal : shell 1 1 .7 .5 .5 .35
    handle Henkel : wood4 metal : box .9 .1 .4 .5 .5 .8
    cloth lining? : fabric : sheet .9 .9 .1 .5 .5 .6
bag backpack handbag*0.6 suitcase*1.4 Tasche sac bolsa purse*0.5 | .4 .2 .45
    body bag pocket flap : fabric4 leather4 : box 1 1 .8 .5 .5 .4
    strap handle Riemen : fabric2 leather3 : box .8 .1 .3 .5 .5 .85
    buckle zipper Schnalle : metal4 plastic : box .1 .1 .1 .5 .05 .5
sack moneybag sandbag | .5 .4 .6
    sack body bag : fabric : ball 1 1 1 .5 .5 .5
    rope tie string : fabric : box .4 .4 .05 .5 .5 .85
bucket pail Eimer seau bin*1.7 trashcan*1.7 wastebasket*0.9 garbage*1.7 Muell | .3 .3 .35
    bucket body bin : metal4 plastic5 wood : shell 1 1 .9 .5 .5 .45
    handle Henkel : metal3 plastic : box 1 .03 .3 .5 .5 .85
    bag liner? : plastic : shell 1.02 1.02 .3 .5 .5 .85
    lid? : plastic2 metal : cyl 1 1 .05 .5 .5 .98
fan ceilingfan Ventilator | 1.1 1.1 .4
    blade blades wing : wood3 plastic3 metal2 : box 1 .12 .02 .5 .5 .3
    hub motor body : metal3 plastic : cyl .2 .2 .3 .5 .5 .4
    lamp bulb? : glass : ball .2 .2 .2 .5 .5 .1
    rod : metal : box .03 .03 .5 .5 .5 .8
umbrella parasol*2.5 Schirm | 1 1 .9
    canopy cover cloth : fabric5 plastic : sheet 1 1 .3 .5 .5 .85
    pole shaft rod : metal3 wood : box .03 .03 .9 .5 .5 .45
    handle grip Griff : wood2 plastic2 : box .05 .1 .12 .5 .5 .05
broom mop brush Besen Pinsel comb | .3 .08 1.3
    handle shaft Stiel : wood4 plastic2 metal : box .1 .3 .8 .5 .5 .6
    bristles head brush hair : plant2 plastic3 fur : box 1 1 .2 .5 .5 .1
soap sponge Seife Schwamm | .1 .07 .04
    sponge : foam : box 1 1 .6 .5 .5 .3
    soap : wax : box .8 .8 .4 .5 .5 .8
fireplace chimney Kamin oven | 1.4 .5 1.3
    wall hearth body bricks : stone : box 1 1 1 .5 .5 .5
    log logs firewood : wood : box .4 .4 .15 .5 .4 .15
    grate poker : metal : box .5 .4 .1 .5 .4 .08
    mantel : wood3 stone marble : box 1.05 1 .06 .5 .5 .97
"""
