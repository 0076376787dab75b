"""The learned volume: the distance to an object's surface, from any number of photographs with masks.

`distances` makes the truth of an object, `network` computes it from photographs, and `run` trains that. It needs the
packages of the extra "train".
"""
