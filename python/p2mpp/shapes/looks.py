"""Replaces a scene's materials: near-white, grey, black, recoloured, or with pictures."""

from dataclasses import replace

import numpy as np

from .draw import chance, choose, uniform, weighted
from .materials import any_color
from .scene import NO_TEXTURE, Look, Scene

# A quarter of the objects is nearly white, like cups, fridges and most product photographs.
LOOKS = {"own": 52, "white": 25, "grey": 8, "black": 5, "recoloured": 10}


def restyled(rng, scene: Scene, textures: list, textured_share: float) -> Scene:
    """The scene with the materials of a random look. textures: pictures [H,W,3], which a few
    materials may get if the look is their own."""
    kind = weighted(rng, LOOKS)
    look = scene.look
    if kind == "own":
        if textures and chance(rng, textured_share):
            return with_picture(rng, scene, textures)
        return scene
    count = len(look.colors)
    if kind == "white":
        target = white_colors(rng, count)
    elif kind == "grey":
        target = np.repeat(rng.uniform(0.25, 0.75, (count, 1)), 3, 1)
        target[:] = target[:1] if chance(rng, 0.6) else target
    elif kind == "black":
        target = np.repeat(rng.uniform(0.015, 0.13, (count, 1)), 3, 1)
    else:
        target = np.array([any_color(rng) for _ in range(count)])
    share = {"white": uniform(rng, 0.85, 1.0)}.get(kind, 1.0)
    kept = rng.random(count) < (0.12 if kind in ("white", "recoloured") else 0.0)
    target = np.where(kept[:, None], look.colors, target).astype(np.float32)
    return replace(scene, look=recolored(rng, look, target, kept, share, kind))


def white_colors(rng, count):
    """All parts alike, or each a little different."""
    level = uniform(rng, 0.86, 1.0)
    spread = 0.0 if chance(rng, 0.5) else 0.08
    colors = level - rng.uniform(0, spread + 1e-9, (count, 1)) + rng.uniform(-0.02, 0.02, (1, 3))
    return np.clip(colors, 0, 1)


def recolored(rng, look: Look, target, kept, share, kind) -> Look:
    """Textures become whiter or are removed; patterns become faint or are removed."""
    texture, textures, patterns = look.texture.copy(), list(look.textures), list(look.patterns)
    for k, color in enumerate(target):
        if kept[k]:
            continue
        if texture[k] != NO_TEXTURE and kind == "white" and chance(rng, 0.3):
            faint = 1 - (1 - share) * (1 - textures[texture[k]])
            texture[k] = len(textures)
            textures.append(faint.astype(np.float32))
        else:
            texture[k] = NO_TEXTURE
        if patterns[k] is not None:
            accent = color * uniform(rng, 0.9, 1.0) if chance(rng, 0.5) else None
            patterns[k] = None if accent is None else (patterns[k][0], accent.astype(np.float32))
    specular = np.where(kept, look.specular, look.specular * uniform(rng, 0.2, 1.2))
    return replace(
        look,
        colors=target,
        texture=texture,
        textures=textures,
        patterns=patterns,
        specular=specular.astype(np.float32),
    )


def with_picture(rng, scene: Scene, textures: list) -> Scene:
    """One material, or a few, with a picture laid on from the three sides of the box."""
    look = scene.look
    chosen = rng.random(len(look.colors)) < choose(rng, [0.4, 1.0])
    if not chosen.any():
        chosen[int(rng.integers(len(chosen)))] = True
    faces = chosen[scene.material_ids]
    corners = scene.vertices[scene.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    axis = np.argmax(np.abs(normal), axis=1)
    size = uniform(rng, 0.12, 0.7)
    planes = np.array([(2, 1), (0, 2), (0, 1)])[axis]
    uv = np.take_along_axis(corners, planes[:, None, :].repeat(3, 1), 2) / size + rng.random(2)
    mapped = scene.uv.copy()
    mapped[faces] = uv[faces]
    texture, colors = look.texture.copy(), look.colors.copy()
    patterns = [None if chosen[k] else each for k, each in enumerate(look.patterns)]
    texture[chosen] = len(look.textures)
    colors[chosen] = uniform(rng, 0.75, 1.0)
    picture = choose(rng, textures)[..., rng.permutation(3)]
    return replace(
        scene,
        uv=mapped,
        look=replace(
            look,
            texture=texture,
            colors=colors,
            patterns=patterns,
            textures=[*look.textures, np.ascontiguousarray(picture)],
        ),
    )
