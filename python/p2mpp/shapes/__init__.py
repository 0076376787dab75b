"""Procedural shapes, their ShapeNet-style renderings and ground truth.

Modules, lowest first: draw, camera; outlines, solids, patterns, materials, shape;
furniture, hulls; categories;
rasterizer, shading, viewpoints; ground_truth, sample, dataset. World frame: y up, objects face +x.
camera, rasterizer and ground_truth need NumPy only; solids, shape and categories need manifold3d.
"""
