"""p2mpp: triangle meshes from a few photographs whose cameras are known (Pixel2Mesh++).

    import p2mpp
    engine = p2mpp.Engine()                              # the bundled model, on the GPU if there is one
    mesh = engine.reconstruct(images, cameras)           # or engine.reconstruct("folder of a sample or a capture")
    mesh.vertices, mesh.faces                            # NumPy views
    mesh.save("chair.glb")
"""

from p2mpp._core import (Camera, Error, InputError, Mesh, Metrics, Sample, UsageError, __version__, metrics,
                         read_image, read_mesh)
from p2mpp.engine import Engine, Result

__all__ = [
    "Camera", "Engine", "Error", "InputError", "Mesh", "Metrics", "Result", "Sample", "UsageError", "__version__",
    "metrics", "read_image", "read_mesh",
]
