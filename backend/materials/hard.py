"""Hard materials: metal, glass, ceramic, stones, plastic, wood, cork and wax."""

from __future__ import annotations

from .material import RIGID, Form, Material, Range

__all__ = ["HARD"]


def _rigid(density: Range, young: Range) -> Form:
    return Form(RIGID, density, young)


METAL = Material(
    "metal",
    "Metal",
    _rigid(Range(2700, 7800, 8960), Range(70e9, 200e9, 210e9)),
    poisson=Range(0.3, 0.3, 0.35),
    friction=Range(0.3, 0.45, 0.6),
    damping=Range(0.001, 0.005, 0.02),
    thickness=Range(0.0005, 0.0015, 0.005),
    yield_stress=Range(33e6, 200e6, 260e6),
    words=(
        "metal metallic metall metallo metaux iron steel gold golden silver bronze brass copper alu aluminium "
        "aluminum chrome chromium tin titanium zinc nickel eisen stahl silber messing kupfer blech blei fer acier "
        "argent laiton cuivre hierro acero plata cobre laton ferro acciaio rame ottone ferrous hardware rivet rivets "
        "screw screws bolt bolts nail nails chain blade klinge schraube kette hinge spring wire"
    ),
    sources=("FreeCAD", "Engineering ToolBox", "Ashby"),
)
GLASS = Material(
    "glass",
    "Glass",
    _rigid(Range(2400, 2500, 2600), Range(60e9, 72e9, 75e9)),
    poisson=Range(0.18, 0.22, 0.3),
    friction=Range(0.3, 0.4, 0.7),
    damping=Range(0.0005, 0.002, 0.01),
    thickness=Range(0.001, 0.003, 0.008),
    yield_stress=Range(30e6, 45e6, 70e6),
    words=(
        "glass glas verre vidrio vetro vidro window windows windscreen windshield fenster fenetre ventana finestra "
        "lens lenses linse lentille mirror spiegel headlight headlights taillight taillights bulb crystal kristall "
        "gem gems gemstone diamond ruby emerald lightbulb goblet"
    ),
    sources=("FreeCAD", "Fibres", "Ashby"),
)
CERAMIC = Material(
    "ceramic",
    "Ceramic",
    _rigid(Range(2200, 2400, 2500), Range(60e9, 70e9, 100e9)),
    poisson=Range(0.17, 0.2, 0.25),
    friction=Range(0.3, 0.4, 0.6),
    damping=Range(0.001, 0.003, 0.01),
    thickness=Range(0.002, 0.004, 0.01),
    yield_stress=Range(30e6, 40e6, 60e6),
    words=(
        "ceramic ceramics keramik ceramique ceramica porcelain porzellan porcelaine porcelana porcellana clay "
        "terracotta earthenware stoneware pottery tile tiles fliese kachel carrelage azulejo piastrella rooftile "
        "rooftiles dachziegel teacup saucer"
    ),
    sources=("Engineering ToolBox", "Piping", "Ashby"),
)
STONE = Material(
    "stone",
    "Stone",
    _rigid(Range(1900, 2400, 2900), Range(10e9, 32e9, 70e9)),
    poisson=Range(0.15, 0.2, 0.3),
    friction=Range(0.5, 0.6, 0.75),
    damping=Range(0.005, 0.01, 0.03),
    thickness=Range(0.01, 0.03, 0.1),
    yield_stress=Range(2e6, 5e6, 15e6),
    friction_angle=Range(30, 35, 40),
    words=(
        "stone stein pierre piedra pietra pedra rock rocks fels felsen roche roca roccia brick bricks ziegel "
        "backstein brique ladrillo mattone concrete beton hormigon calcestruzzo cement zement plaster putz gips "
        "stucco slate basalt limestone sandstone cobble cobblestone gravel pebble pebbles boulder cliff coal asphalt "
        "pavement"
    ),
    sources=("FreeCAD", "Piping", "Engineering ToolBox", "Ashby", "SOPHY"),
)
GRANITE = Material(
    "granite",
    "Granite",
    _rigid(Range(2600, 2700, 2900), Range(30e9, 50e9, 70e9)),
    poisson=Range(0.15, 0.25, 0.25),
    friction=Range(0.5, 0.6, 0.75),
    damping=Range(0.003, 0.006, 0.02),
    thickness=Range(0.01, 0.03, 0.1),
    yield_stress=Range(7e6, 15e6, 39e6),
    friction_angle=Range(30, 35, 40),
    words="granite granit granito",
    sources=("MakeItFrom", "NRC", "SOPHY"),
    kind_of="stone",
)
MARBLE = Material(
    "marble",
    "Marble",
    _rigid(Range(2600, 2700, 2700), Range(40e9, 54e9, 60e9)),
    poisson=Range(0.2, 0.2, 0.3),
    friction=Range(0.4, 0.5, 0.7),
    damping=Range(0.003, 0.006, 0.02),
    thickness=Range(0.01, 0.02, 0.05),
    yield_stress=Range(9e6, 12e6, 15e6),
    friction_angle=Range(30, 35, 40),
    words="marble marmor marbre marmol marmo alabaster",
    sources=("MakeItFrom", "SOPHY"),
)
PLASTIC = Material(
    "plastic",
    "Plastic",
    _rigid(Range(916, 1060, 1500), Range(0.56e9, 2.3e9, 3.64e9)),
    poisson=Range(0.35, 0.37, 0.46),
    friction=Range(0.2, 0.35, 0.5),
    damping=Range(0.01, 0.02, 0.05),
    thickness=Range(0.001, 0.0025, 0.005),
    yield_stress=Range(15e6, 40e6, 74e6),
    words=(
        "plastic plastics plastik kunststoff plastique plastico plastica plexiglas acrylic acryl pvc abs nylon "
        "polymer vinyl bakelite polyester celluloid resin styrene"
    ),
    sources=("FreeCAD", "Mechanical Engineering", "Ashby"),
)
WOOD = Material(
    "wood",
    "Wood",
    _rigid(Range(340, 650, 900), Range(7.1e9, 11e9, 15.7e9)),
    poisson=Range(0.2, 0.3, 0.45),
    friction=Range(0.3, 0.45, 0.6),
    damping=Range(0.005, 0.01, 0.03),
    thickness=Range(0.003, 0.015, 0.04),
    yield_stress=Range(40e6, 60e6, 125e6),
    words=(
        "wood wooden holz bois madera legno madeira timber lumber plank planks log logs trunk stump bark rinde oak "
        "eiche pine kiefer birch birke maple ahorn walnut nussbaum mahogany ebony teak beech buche cedar bamboo "
        "bambus plywood sperrholz veneer parquet chene roble quercia brett planke stamm tronco branch branches twig "
        "twigs zweig ast rama branche wicker rattan haft"
    ),
    sources=("FreeCAD", "Mechanical Engineering", "Fibres", "Forest Products", "Ashby"),
)
CORK = Material(
    "cork",
    "Cork",
    _rigid(Range(120, 180, 240), Range(13e6, 25e6, 50e6)),
    poisson=Range(0.0, 0.02, 0.05),
    friction=Range(0.4, 0.6, 0.8),
    damping=Range(0.03, 0.06, 0.1),
    thickness=Range(0.003, 0.005, 0.01),
    yield_stress=Range(0.3e6, 1.0e6, 1.5e6),
    words="cork kork korken liege corcho sughero cortica",
    sources=("Anjos", "Ashby"),
)
WAX = Material(
    "wax",
    "Wax",
    _rigid(Range(870, 950, 970), Range(20e6, 100e6, 250e6)),
    poisson=Range(0.35, 0.4, 0.45),
    friction=Range(0.3, 0.4, 0.6),
    damping=Range(0.03, 0.05, 0.1),
    thickness=Range(0.002, 0.005, 0.02),
    yield_stress=Range(0.5e6, 1.0e6, 3.0e6),
    words=("wax wachs cire cera candle candles kerze kerzen bougie vela candela beeswax paraffin crayon"),
    sources=("Piping", "CRC", "Ashby"),
)
HARD = (METAL, WOOD, PLASTIC, GLASS, CERAMIC, STONE, MARBLE, GRANITE, CORK, WAX)
