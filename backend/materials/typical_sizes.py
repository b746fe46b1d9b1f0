"""Typical sizes of things by the words that name them: the longest side, in metres."""

from __future__ import annotations

from functools import cache

from .words import told_by, words_of

__all__ = ["typical_sizes"]

# Longest side, then what is about as long: English, then other languages where the word is a common one.
_SIZES = """
.008 ant rice pin bead
.012 pill pea bullet lentil wasp fly mosquito
.02 coin button dice die marble earring ring acorn bee olive grape cherry blueberry thimble nut bolt pebble key
.03 walnut domino usb strawberry beetle pawn gem
.05 battery matchbox mouse butterfly egg plum snail whistle cork lipstick amulet cookie cupcake shell sushi Ei
.07 watch lime lemon kiwi frog matchstick chess badge spool macaron
.08 orange apple apricot peach tomato onion compass mandarin tangerine pear Apfel pomme muffin bulb lightbulb
.1 donut doughnut cup coffeecup teacup espresso card wallet tealight candle toad potato egg yoyo lighter figurine
.11 mug sandwich burger hamburger Tasse tazza can tin beer tumbler toast doorknob croissant
.13 screwdriver pocketknife cigar pencilcase goggles bagel taco steak glasses
.15 phone smartphone teacup saucer pen pencil crayon brush spoon fork sunglasses spectacles potion flask
.16 controller gamepad book toothbrush carrot keyring keychain hamster bird
.18 camera drumstick chickenleg banana hotdog scissors notebook remote trowel cutlery knife cup jar goblet candlestick
.2 wineglass chalice hourglass alarmclock clock telephone corncob wrench Glas pliers paperback hammerhead pistol
.22 lunchbox bowl plate Teller teapot Kanne kettle squirrel piggybank radio pumpkinpie shoe pie pinecone wallclock
.25 hand glove mitten bottle waterbottle handgun gun revolver binoculars dish Flasche bouteille ball football
.28 boot sneaker shoe Schuh zapato chaussure thermos brick toaster tablet vase pumpkin jug pitcher pineapple Vase
.3 hammer Hammer book folder teddy teddybear plush plushie doll helmet hat cap toy box basket bag pan saucepan pot skull
.3 melon watermelon rabbit duck chicken bread loaf lantern trophy boombox ham cake dagger sandal fan torch flashlight
.35 laptop bonsai purse handbag blender mixer briefcase watermelon bucket Eimer pail hat magazine tray
.4 violin cat Katze pizza desklamp drone backpack rucksack axe hatchet birdhouse microscope spotlight cushion cauldron
.4 flowerpot cardboardbox package parcel pheasant rooster scroll owl globe pillowcase tablelamp monkey mask crown
.45 keyboard crate printer frypan tennisracket trashcan wastebasket chest pillow
.5 microwave mikrowelle monitor screen computer stool hen toolbox pillow Kissen coussin suitcase cushion fish koi
.5 flowers bouquet plantpot houseplant sink birdcage typewriter stovetop fox saw racket banner
.6 barramundi salmon trout sewing bell penguin pinguin umbrella bin aquarium oven tv
.7 fox Fuchs crossbow dog Hund lamp goose signboard stove bush fern
.8 skateboard drum Trommel barrel Fass washer dishwasher dryer nightstand cooker shield houseplant pottedplant tire
.8 wheel bow stool ottoman bonfire campfire anvil turkey torso
.9 chair Stuhl chaise silla sedia toilet sword Schwert bat baseballbat treestump rock boulder rifle cello guitar Gitarre
1 sword rifle guitar gitarre table desk chest suit signpost sheep cane staff wand cart mailbox goat pig
1.1 officechair deskchair hydrant firehydrant katana shotgun coffeetable flamingo highchair trident
1.2 tablecloth dresser cabinet sideboard bench ceilingfan bathtub armchair Sessel trolley wheelbarrow
1.2 broom shovel rake spade mop pig Schwein window Fenster cloth kite dolphin
1.4 desk Schreibtisch bureau table Tisch mesa tavolo cart tv television crib spear piano stand easel wolf fireplace
1.6 floorlamp cupboard bicycle bike fahrrad wardrobe tripod hatstand coatrack sheep deer gate parasol rug carpet
1.7 man woman boy human person character male female knight soldier skeleton zombie wizard Mann Frau homme femme hombre
1.7 bookcase shelf bookshelf Regal fridge refrigerator Schrank locker robot snowman mannequin girl statue
1.8 rug carpet Teppich tapis fridge sofa couch mattress canoe surfboard motorcycle scooter Kuehlschrank bathtub
2 sofa couch Sofa canape divano bed Bett cama letto door Tuer porte bench curtain horse Pferd cow deer ladder streetsign
2.1 bed door doorway bunkbed scarecrow motorbike curtain throne wardrobe lion tiger bear dolphin stag elk moose
2.5 curtain Vorhang rideau flag raft kayak flagpole tent Zelt goalpost pillar column carriage goal canopy
3 tent swing Boot sailboat statue lamppost fountain shark crocodile shed fence
3.5 bush rowboat well tractor campingtent carport streetlight lamppost streetlamp garage swingset catapult
4.2 car auto voiture coche sedan taxi jeep giraffe streetlamp boat phonebooth elephant playground
5 van pickup ambulance truck jeep shack hut dinosaur tank caravan speedboat gazebo palm
6 tree Baum arbre albero birch pine oak palm hut yacht trex
8 tree house hut cabin Haus maison casa cottage helicopter lorry firetruck dragon
10 house windmill mill locomotive bus plane jet tram barn Muehle train lighthouse wagon submarine
15 whale church tower bridge castle aeroplane airplane temple ship
30 ship skyscraper castle bridge cathedral stadium spaceship pyramid
"""
_SHORTEST_END = 4  # letters of a word that may be the end of a longer one
_TELLS_MATERIAL = 0.3


@cache
def _lexicon() -> dict[str, tuple[float, ...]]:
    """Word -> its sizes: some things come in several."""
    known: dict[str, tuple[float, ...]] = {}
    for line in _SIZES.strip().splitlines():
        size, *words = line.split()
        for word in words:
            known[word.lower()] = (*known.get(word.lower(), ()), float(size))
    return known


def typical_sizes(name: str) -> list[tuple[float, ...]]:
    """For each thing that a name speaks of, in its order, the sizes that such things have: "Cup of the table" is two.

    Two words in a row may be one ("office chair"), and the end of a word may be a thing ("armchair").
    """
    words, found, number = words_of(name), [], 0
    while number < len(words):
        both = "".join(words[number : number + 2])
        if number + 1 < len(words) and both in _lexicon():
            found.append(_lexicon()[both])
            number += 2
            continue
        sizes = _sizes_of(words[number])
        # "Glass" and "wood" say rather what something is made of.
        if sizes and (len(words) == 1 or told_by(words[number]).max() < _TELLS_MATERIAL):
            found.append(sizes)
        number += 1
    return found


def _sizes_of(word: str) -> tuple[float, ...]:
    lexicon = _lexicon()
    for known in (word, word.removesuffix("s"), word.removesuffix("es")):
        if known in lexicon:
            return lexicon[known]
    for length in range(len(word) - 1, _SHORTEST_END - 1, -1):
        if word[-length:] in lexicon:
            return lexicon[word[-length:]]
    return ()
