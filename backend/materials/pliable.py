"""Pliable materials: cloth, leather, paper, rubber and foam."""

from __future__ import annotations

from .material import RIGID, SHEET, SOFT, Form, Material, Range

__all__ = ["PLIABLE"]

_PADDING = Form(SOFT, Range(50, 100, 200), Range(1e4, 3e4, 1e5))  # as upholstery and stuffing

FABRIC = Material(
    "fabric",
    "Fabric",
    _PADDING,
    thin=Form(SHEET, Range(200, 350, 500), Range(1e6, 1e7, 1e8)),
    poisson=Range(0.25, 0.35, 0.4),
    friction=Range(0.3, 0.4, 0.6),
    damping=Range(0.03, 0.08, 0.2),
    thickness=Range(0.0003, 0.0006, 0.0015),
    words=(
        "fabric fabrics cloth clothes stoff gewebe tuch tissu tela tejido tessuto tecido textile textil textiles "
        "cotton baumwolle coton algodon cotone wool wolle laine lana linen leinen lin lino felt filz velvet samt "
        "velours canvas carpet rug teppich tapis alfombra tappeto curtain curtains vorhang rideau cortina tenda flag "
        "fahne flagge drapeau bandera banner shirt tshirt hemd chemise camisa pants trousers pantalon sock socks "
        "socke jacket jacke coat mantel dress kleid robe vestido skirt hat hut chapeau scarf schal tie cape cloak "
        "blanket decke sheet sheets laken pillow kissen oreiller almohada cushion cushions coussin upholstery polster "
        "sofa couch mattress matratze towel handtuch sail segel voile awning markise tablecloth tischdecke rope seil "
        "corde cuerda yarn thread knit sack burlap tent quilt cover bezug apron glove gloves hoodie sweater sleeve "
        "ribbon"
    ),
    sources=("SOPHY", "Engineering ToolBox", "Ashby", "CRC", "ZOZO", "Peirce"),
    bending_length=Range(0.015, 0.022, 0.035),
)
SILK = Material(
    "silk",
    "Silk",
    _PADDING,
    thin=Form(SHEET, Range(300, 400, 600), Range(5e6, 3e7, 1e8)),
    poisson=Range(0.3, 0.4, 0.4),
    friction=Range(0.2, 0.25, 0.35),
    damping=Range(0.02, 0.05, 0.1),
    thickness=Range(0.0001, 0.00015, 0.0003),
    words="silk seide soie seda seta satin chiffon tulle veil schleier gauze",
    sources=("ZOZO", "Fibres", "CRC", "Peirce"),
    kind_of="fabric",
    bending_length=Range(0.012, 0.018, 0.025),
)
DENIM = Material(
    "denim",
    "Denim",
    _PADDING,
    thin=Form(SHEET, Range(450, 520, 600), Range(1e7, 5e7, 2e8)),
    poisson=Range(0.2, 0.25, 0.3),
    friction=Range(0.4, 0.5, 0.6),
    damping=Range(0.05, 0.1, 0.2),
    thickness=Range(0.0006, 0.0008, 0.0011),
    words="denim jeans jean jeansstoff vaquero",
    sources=("ZOZO", "Engineering ToolBox", "Ashby", "CRC", "Peirce"),
    kind_of="fabric",
    bending_length=Range(0.03, 0.042, 0.055),
)
LEATHER = Material(
    "leather",
    "Leather",
    Form(SOFT, Range(810, 950, 1100), Range(5e4, 2e5, 5e6)),
    thin=Form(SHEET, Range(810, 950, 1050), Range(5e7, 1.5e8, 5e8)),
    poisson=Range(0.05, 0.35, 0.4),
    friction=Range(0.4, 0.5, 0.7),
    damping=Range(0.05, 0.1, 0.2),
    thickness=Range(0.001, 0.0015, 0.004),
    words=(
        "leather leder cuir cuero piel cuoio couro suede wildleder belt gurtel strap straps riemen hide pelt saddle "
        "sattel boot boots stiefel shoe shoes schuh schuhe chaussure zapato scarpa wallet holster"
    ),
    sources=("Ashby", "SOPHY", "ZOZO"),
)
PAPER = Material(
    "paper",
    "Paper",
    Form(RIGID, Range(700, 850, 1150), Range(2e8, 1e9, 8e9)),  # as a block of leaves
    thin=Form(SHEET, Range(700, 800, 1150), Range(2e9, 4e9, 8e9)),
    poisson=Range(0.15, 0.25, 0.35),
    friction=Range(0.3, 0.4, 0.6),
    damping=Range(0.01, 0.03, 0.06),
    thickness=Range(0.00007, 0.0001, 0.0003),
    yield_stress=Range(20e6, 40e6, 80e6),
    words=(
        "paper papier papel carta papers parchment pergament page pages seite seiten newspaper zeitung poster scroll "
        "envelope origami book books buch livre libro notebook letter"
    ),
    sources=("Niskanen", "Engineering ToolBox", "Ashby"),
)
CARDBOARD = Material(
    "cardboard",
    "Cardboard",
    Form(RIGID, Range(100, 180, 700), Range(5e7, 2e8, 5e8)),
    thin=Form(SOFT, Range(100, 180, 700), Range(5e7, 2e8, 5e8)),
    poisson=Range(0.1, 0.2, 0.35),
    friction=Range(0.3, 0.45, 0.6),
    damping=Range(0.02, 0.04, 0.08),
    thickness=Range(0.001, 0.003, 0.007),
    yield_stress=Range(1e6, 5e6, 20e6),
    words="cardboard pappe karton carton cartone papelao pasteboard corrugated",
    sources=("Niskanen", "Piping", "Engineering ToolBox"),
    kind_of="paper",
)
RUBBER = Material(
    "rubber",
    "Rubber",
    Form(SOFT, Range(1100, 1150, 1300), Range(1e6, 3e6, 5e6)),
    poisson=Range(0.45, 0.48, 0.49),
    friction=Range(0.6, 0.85, 1.1),
    damping=Range(0.03, 0.08, 0.2),
    thickness=Range(0.001, 0.003, 0.01),
    words=(
        "rubber gummi caoutchouc goma gomma borracha tire tires tyre tyres reifen pneu llanta pneumatico neoprene "
        "latex silicone silikon hose schlauch gasket dichtung cable kabel sole sohle eraser inflatable grommet"
    ),
    sources=("ZOZO", "VoMP", "Mechanical Engineering", "Altair", "SOPHY"),
)
FOAM = Material(
    "foam",
    "Foam",
    Form(SOFT, Range(15, 40, 60), Range(1e4, 5e4, 3e5)),
    poisson=Range(0.1, 0.3, 0.4),
    friction=Range(0.4, 0.5, 0.7),
    damping=Range(0.05, 0.12, 0.25),
    thickness=Range(0.005, 0.02, 0.1),
    words=(
        "foam schaum schaumstoff mousse espuma schiuma sponge schwamm eponge esponja spugna polyurethane styrofoam "
        "padding"
    ),
    sources=("ZOZO", "Ashby", "Gibson", "Altair"),
)
PLIABLE = (FABRIC, SILK, DENIM, LEATHER, PAPER, CARDBOARD, RUBBER, FOAM)
