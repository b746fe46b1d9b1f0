"""Living and loose materials: plants, flesh, fur, food and soil."""

from __future__ import annotations

from .material import MATTER, SOFT, Form, Material, Range

__all__ = ["LIVING"]

PLANT = Material(
    "plant",
    "Plant",
    Form(SOFT, Range(500, 900, 1200), Range(1e6, 3e7, 1e9)),
    poisson=Range(0.3, 0.38, 0.45),
    friction=Range(0.3, 0.5, 0.7),
    damping=Range(0.03, 0.08, 0.15),
    thickness=Range(0.0005, 0.002, 0.01),
    words=(
        "plant plants pflanze plante planta pianta grass gras herbe hierba erba grama bush busch buisson arbusto "
        "cespuglio hedge hecke shrub stem stems stengel stiel tige tallo stelo flower flowers blume blumen fleur flor "
        "fiore tulip tulpe sunflower wheat weizen ble trigo corn reed schilf cactus kaktus moss moos fern farn ivy "
        "efeu vine liana algae seaweed foliage laub crop crops clover sprout seedling mushroom pilz canopy"
    ),
    sources=("Niklas", "SOPHY"),
    crown=0.4,
)
LEAF = Material(
    "leaf",
    "Leaf",
    Form(SOFT, Range(500, 750, 1000), Range(5e6, 3e7, 5e8)),
    poisson=Range(0.2, 0.3, 0.4),
    friction=Range(0.3, 0.45, 0.6),
    damping=Range(0.05, 0.1, 0.2),
    thickness=Range(0.0002, 0.0004, 0.001),
    words=(
        "leaf leaves blatt blatter feuille feuilles feuillage hoja hojas foglia foglie folha folhas treeleaves petal "
        "petals blute bluten petale petalo frond fronds palmleaf"
    ),
    sources=("Niklas", "Quercus"),
    kind_of="plant",
    crown=0.03,
)
FLESH = Material(
    "flesh",
    "Flesh",
    Form(SOFT, Range(950, 1050, 1090), Range(5e3, 3e4, 2e6)),
    poisson=Range(0.45, 0.47, 0.49),
    friction=Range(0.3, 0.5, 0.8),
    damping=Range(0.1, 0.2, 0.3),
    thickness=Range(0.001, 0.003, 0.01),
    words=(
        "flesh fleisch carne muscle muskel skin haut peau pelle gesicht visage cara tongue zunge lips lippen fish "
        "fisch poisson pez pesce belly bauch tentacle fin fins flosse"
    ),
    sources=("Tissue", "Duck", "ZOZO"),
)
FUR = Material(
    "fur",
    "Fur",
    Form(SOFT, Range(20, 50, 100), Range(1e3, 1e4, 5e4)),
    poisson=Range(0.0, 0.15, 0.3),
    friction=Range(0.3, 0.5, 0.7),
    damping=Range(0.1, 0.2, 0.3),
    thickness=Range(0.005, 0.02, 0.05),
    words=(
        "fur fell fourrure pelo pelliccia hair haar haare cheveux cabello capelli cabelo beard bart barbe mane mahne "
        "eyebrow eyebrows augenbraue mustache whiskers feather feathers feder federn plume pluma piuma fluff plush "
        "fuzz"
    ),
    sources=("Engineering ToolBox", "Gibson", "CRC"),
)
FOOD = Material(
    "food",
    "Food",
    Form(SOFT, Range(200, 850, 1050), Range(1e3, 1e5, 6e6)),
    poisson=Range(0.2, 0.4, 0.49),
    friction=Range(0.3, 0.5, 0.7),
    damping=Range(0.08, 0.15, 0.3),
    thickness=Range(0.002, 0.01, 0.03),
    yield_stress=Range(1e4, 1e5, 5e5),
    words=(
        "food essen nourriture comida cibo meat viande steak sausage wurst bacon ham schinken cheese kase fromage "
        "queso formaggio bread brot pane pao bun toast cake kuchen gateau pastel torta donut doughnut icing cookie "
        "keks chocolate schokolade candy sweet fruit obst fruta frutta apple apfel pomme manzana mela lemon banana "
        "banane kirsche grape grapes strawberry pear melon watermelon pumpkin kurbis carrot karotte tomato tomate "
        "potato kartoffel onion zwiebel lettuce cabbage pepper olives egg eggs fried pizza burger patty sandwich "
        "hotdog taco sushi rice pasta noodle noodles pancake waffle croissant bagel cupcake pudding jelly avocado "
        "eggplant broccoli mandarin vegetable gemuse bretzel pretzel dough frosting sprinkles"
    ),
    sources=("Bourne", "Piping"),
)
SOIL = Material(
    "soil",
    "Soil",
    Form(MATTER, Range(1100, 1600, 2000), Range(4.8e6, 1e7, 2.4e7)),
    poisson=Range(0.2, 0.3, 0.45),
    friction=Range(0.5, 0.6, 0.7),
    damping=Range(0.05, 0.1, 0.2),
    thickness=Range(0.01, 0.05, 0.2),
    friction_angle=Range(25, 30, 35),
    words=(
        "soil erde sol terre tierra suolo terra terreno dirt schmutz mud schlamm boue barro fango sand sable arena "
        "sabbia areia ground boden earth snow schnee neige nieve neve dust compost mulch humus"
    ),
    sources=("USACE", "Engineering ToolBox", "Piping", "Bowles", "SOPHY"),
)
LIVING = (PLANT, LEAF, FLESH, FUR, FOOD, SOIL)
