"""p2mpp: triangle meshes from a few photographs whose cameras are known (Pixel2Mesh++).

    import p2mpp
    engine = p2mpp.Engine()                              # the bundled model, on the GPU if there is one
    mesh = engine.reconstruct(images, cameras)           # or engine.reconstruct("folder of a sample or a capture")
    mesh.vertices, mesh.faces                            # NumPy views
    mesh.save("chair.glb")

p2mpp.network is the network in PyTorch, p2mpp.training trains it, p2mpp.shapes makes its data, p2mpp.cluster spreads an
evaluation over machines; p2mpp.commands has the commands of these.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from p2mpp._core import (Camera, Error, Fit, InputError, Mesh, Metrics, Sample, Surface, UsageError, __version__,
                             metrics, read_image, read_mesh)
    from p2mpp.engine import Engine, Result, Warning

__all__ = [
    "Camera", "Engine", "Error", "Fit", "InputError", "Mesh", "Metrics", "Result", "Sample", "Surface",
    "UsageError", "Warning",
    "__version__", "metrics", "read_image", "read_mesh",
]


def __getattr__(name: str) -> Any:
    """Loads the compiled module when it is first used: the subpackages do without it."""
    if name not in __all__:
        raise AttributeError(f"module 'p2mpp' has no attribute {name!r}")
    try:
        module = import_module("p2mpp._core")
    except ModuleNotFoundError as error:
        if error.name != "p2mpp._core":
            raise
        raise ImportError("the compiled module p2mpp._core is not in this folder; expected an installed package "
                          "(pip install .), or PYTHONPATH=build/python after a build (docs/building.md)",
                          name="p2mpp._core") from None
    if name in ("Engine", "Result", "Warning"):
        module = import_module("p2mpp.engine")
    globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list:
    return sorted({*globals(), *__all__})
