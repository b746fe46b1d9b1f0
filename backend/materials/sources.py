"""Where the ranges of materials come from. What is marked as a handbook is quoted from it as standard knowledge."""

from __future__ import annotations

__all__ = ["SOURCES"]

SOURCES = {
    "Altair": "Altair Radioss help 2022.1, Poisson's ratios",
    "Anjos": "Anjos, Pereira, Rosa 2008, Compression properties of cork",
    "Ashby": "handbook: Ashby, Materials Selection in Mechanical Design, data and loss coefficients",
    "Bourne": "handbook: Bourne, Food Texture and Viscosity",
    "Bowles": "handbook: Bowles, Foundation Analysis and Design",
    "CRC": "handbook: CRC Handbook of Chemistry and Physics",
    "Duck": "handbook: Duck, Physical Properties of Tissue; Fung, Biomechanics",
    "Engineering ToolBox": "handbook: Engineering ToolBox, densities, moduli, friction",
    "Fibres": "Handbook of Properties of Textile and Technical Fibres, table 1.1",
    "Forest Products": "handbook: USDA Forest Products Laboratory, Wood Handbook",
    "FreeCAD": "material cards of FreeCAD 0.20",
    "Gibson": "handbook: Gibson and Ashby, Cellular Solids",
    "MakeItFrom": "makeitfrom.com, granite and marble",
    "Mechanical Engineering": "The Mechanical Engineering Handbook, non-metals",
    "NRC": "National Research Council, Conservation of Historic Stone Buildings 1982, p. 64",
    "Niklas": "handbook: Niklas, Plant Biomechanics; Vincent, Structural Biomaterials",
    "Niskanen": "handbook: Niskanen, Mechanics of Paper Products",
    "Peirce": "handbook: Saville, Physical Testing of Textiles, bending lengths by Peirce's cantilever",
    "Piping": "piping-designer.com, bulk densities",
    "Quercus": "bulk elastic modulus of Quercus leaves by the pressure-volume technique",
    "SOPHY": "SOPHY, arXiv 2504.12684, default ranges",
    "Tissue": "PMC3233242, table 3: densities of tissues",
    "USACE": "USACE EM 1110-1-1904, elastic moduli of soils",
    "VoMP": "VoMP, material values of its simulations",
    "ZOZO": "presets of the ZOZO contact solver",
}
