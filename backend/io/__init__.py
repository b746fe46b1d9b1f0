"""Files: meshes in (.obj .ply .stl .glb .npz), animations out (.npz .pc2 .glb .usdc).

Everything inside is Z up and in metres. OBJ, PLY and STL files are taken as they are; glTF is Y up by definition
and is turned on the way in and out, as Blender does.
"""

from .animation import OUTPUT_EXTENSIONS, check_output_path, write_animation
from .appearance import Appearance
from .moving_mesh import MovingMesh, Skinning
from .npz import write_npz
from .reading import MESH_EXTENSIONS, read_mesh, read_model

__all__ = [
    "MESH_EXTENSIONS",
    "OUTPUT_EXTENSIONS",
    "Appearance",
    "MovingMesh",
    "Skinning",
    "check_output_path",
    "read_mesh",
    "read_model",
    "write_animation",
    "write_npz",
]
