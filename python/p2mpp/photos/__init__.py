"""From a folder of photographs to a textured mesh: `p2mpp-photos`.

Each step is a module: `photographs` (and `video`), `cameras` (COLMAP, in the process `structure`), `masks`, and the engine's
program in `engine`. `run` chains them, `steps` keeps their results on the disk, and only `output` replaces or removes files there.
"""
