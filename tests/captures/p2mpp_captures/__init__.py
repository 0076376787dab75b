"""Captures as others write them: pictures of the bundled shapes from any camera, in COLMAP's and NeRF's files.

What p2mpp's reader of captures is held against, so it shares no formula with it. Modules, lowest first: lens, pose;
shapes, texture; raster, rendering; rig; colmap, transforms, turntable; capture.

Frames: the normalised world of the samples (y up, the object's box centred, its diagonal 0.57); the source, which is a
similarity of it; OpenCV's camera frame (x right, y down, z forward). Pixels are continuous: the upper left corner of
the picture is (0, 0), the middle of its first pixel (0.5, 0.5). Needs NumPy, Pillow and manifold3d.
"""
