"""Trains the Pixel2Mesh++ network of p2mpp.network, semantics `clean`.

The modules of p2mpp.network hold the parameters, so names and shapes are theirs and a state file goes
straight into p2mpp-export --state; network.py computes the same forward pass with
operations that are fast to differentiate. Letters in shapes: B samples, V views, N vertices, P
ground-truth points, S hypotheses, C channels. Lengths are in world units (an object's bounding box
has the diagonal 0.57), squared where a distance is.
"""
