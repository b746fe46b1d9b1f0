"""Files: meshes in (.obj .ply .stl .glb .npz), animations out (.npz .pc2 .glb).

Everything inside is Z up and in metres. OBJ, PLY and STL files are taken as they are; glTF is Y up by definition
and is turned on the way in and out, as Blender does.
"""

from .animation import OUTPUT_EXTENSIONS, check_output_path, write_animation
from .gltf_write import MovingMesh
from .npz import write_npz
from .reading import MESH_EXTENSIONS, read_mesh

__all__ = [
    "MESH_EXTENSIONS",
    "OUTPUT_EXTENSIONS",
    "MovingMesh",
    "check_output_path",
    "read_mesh",
    "write_animation",
    "write_npz",
]
