"""Pictures of scenes: 224x224 RGBA of canonical views, with light from all around and shadows that
the object casts on itself, and small pictures of normals and depth."""

from dataclasses import dataclass

import numpy as np

from . import kernels
from .draw import chance, choose, uniform, weighted
from .scene import NO_TEXTURE, MipMaps, Scene

SIDE = 224  # pixels
SUPERSAMPLING = 4  # samples a pixel, along each axis
HINT_SIDE = 56  # pixels of the small pictures
FOCAL = 248.0  # pixels, for distances in CLOSE
CLOSE = (0.65, 0.9)
DEPTH_RANGE = 0.3  # of the small pictures, to either side of the object's centre
DIRECTIONS = 64  # light comes from, and surface is seen from
MAP_SIDE = 320
KEY_LIGHTS = 2
REACH = 0.3  # half the width of a shadow map
OFFSET, BIAS = 0.0022, 0.0022
SHOULDER = 0.75  # brightness above which colours are compressed


@dataclass(frozen=True)
class Camera:
    """Looks at the origin, y up: azimuth and elevation in degrees, distance in world units."""

    azimuth: float
    elevation: float
    distance: float

    def frame(self):
        """(R [3,3], o [3]) of cam_from_world: p -> R (p - o); x right, y up, looking along -z."""
        azimuth, elevation = np.radians([self.azimuth, self.elevation])
        z = np.array(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.sin(elevation),
                np.cos(elevation) * np.sin(azimuth),
            ]
        )
        x = np.array([np.sin(azimuth), 0.0, -np.cos(azimuth)])
        return np.stack([x, np.cross(z, x), z]), self.distance * z

    def focal(self):
        """Pixels: objects look as large as from the nearest of the CLOSE distances."""
        return FOCAL * self.distance / np.clip(self.distance, *CLOSE)


def project(camera: Camera, points: np.ndarray, side: int = SIDE):
    """Points [N,3] of the world -> pixels (column, row) [N,2] and distances along the axis [N]."""
    rotation, origin = camera.frame()
    view = (points - origin) @ rotation.T
    distance = -view[:, 2]
    focal = camera.focal() * side / SIDE
    return (
        np.stack(
            [focal * view[:, 0] / distance + side / 2, -focal * view[:, 1] / distance + side / 2], 1
        ),
        distance,
    )


def spread_directions(count: int) -> np.ndarray:
    """Unit vectors [count,3], even over the sphere."""
    k = np.arange(count) + 0.5
    height = 1 - 2 * k / count
    angle = np.pi * (1 + 5**0.5) * k
    ground = np.sqrt(1 - height**2)
    return np.stack([ground * np.cos(angle), height, ground * np.sin(angle)], 1)


def axes_of(directions: np.ndarray) -> np.ndarray:
    """Right, down and the direction itself [D,3,3] float32."""
    helper = np.where(np.abs(directions[:, 1:2]) < 0.9, [[0.0, 1, 0]], [[1.0, 0, 0]])
    right = np.cross(helper, directions)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    return np.stack([right, np.cross(directions, right), directions], 1).astype(np.float32)


@dataclass
class ShadowMaps:
    """Largest coordinates of a scene towards each direction, plus 1: see kernels.is_open."""

    axes: np.ndarray
    maps: np.ndarray
    size: int


def shadow_maps(scene: Scene, directions: np.ndarray, size: int = MAP_SIDE) -> ShadowMaps:
    axes = axes_of(directions)
    maps = np.zeros((len(axes), size * size), np.float32)
    owner = np.empty(size * size, np.int32)
    for j, frame in enumerate(axes):
        at = scene.vertices @ frame.T.astype(float)
        pixels = (at[:, :2] / REACH * 0.5 + 0.5) * size
        kernels.rasterize(
            pixels[:, 0], pixels[:, 1], at[:, 2] + 1.0, scene.triangles, size, maps[j], owner
        )
    return ShadowMaps(axes, maps, size)


@dataclass
class Lighting:
    """Radiance [D,3] from the spread directions, key lights (directions [K,3], colours [K,3]), a
    light at the camera, whether there are shadows, and how much surfaces mirror the sky."""

    radiance: np.ndarray
    keys: np.ndarray
    key_colors: np.ndarray
    headlight: float
    shadows: bool
    mirror: float


def draw_lighting(rng) -> Lighting:
    """A sky with a few bright windows and up to two key lights; a white surface has about 0.8
    on average. A third of the draws is plain, like the published renderings."""
    kind = weighted(rng, {"plain": 3, "studio": 4, "outdoor": 2, "dim": 1})
    directions = spread_directions(DIRECTIONS)
    up = 0.5 + 0.5 * directions[:, 1:2]
    ground = uniform(rng, 0.3, 0.8)
    sky = ground + (1 - ground) * up
    tint = 1 + rng.uniform(-0.06, 0.06, 3) * up + rng.uniform(-0.06, 0.06, 3) * (1 - up)
    radiance = sky * tint
    if kind != "plain":
        for _ in range(int(rng.integers(1, 5))):
            window = rng.standard_normal(3)
            window[1] = abs(window[1]) - 0.2
            window /= np.linalg.norm(window)
            lobe = np.exp(uniform(rng, 4, 14) * (directions @ window - 1))[:, None]
            radiance = radiance + uniform(rng, 0.5, 4) * lobe * (1 + rng.uniform(-0.1, 0.1, 3))
    ambient = {
        "plain": uniform(rng, 0.28, 0.45),
        "studio": uniform(rng, 0.35, 0.75),
        "outdoor": uniform(rng, 0.3, 0.5),
        "dim": uniform(rng, 0.2, 0.35),
    }[kind]
    # A surface that faces the average light gets `ambient`: cosines sum to D / 4.
    radiance = radiance * (ambient / radiance.mean() * 4 / DIRECTIONS)
    azimuth = uniform(rng, 0, 360)
    angles = np.radians(
        [(azimuth, uniform(rng, 30, 75)), (azimuth + uniform(rng, 90, 220), uniform(rng, -10, 50))]
    )
    keys = np.stack(
        [
            np.cos(angles[:, 1]) * np.cos(angles[:, 0]),
            np.sin(angles[:, 1]),
            np.cos(angles[:, 1]) * np.sin(angles[:, 0]),
        ],
        1,
    )
    strengths = {
        "plain": (uniform(rng, 0.35, 0.58), uniform(rng, 0.12, 0.28)),
        "studio": (uniform(rng, 0.1, 0.45), uniform(rng, 0, 0.2)),
        "outdoor": (uniform(rng, 0.45, 0.85), 0.0),
        "dim": (uniform(rng, 0.05, 0.2), uniform(rng, 0, 0.1)),
    }[kind]
    colors = np.array(strengths)[:, None] * (1 + rng.uniform(-0.05, 0.05, (KEY_LIGHTS, 3)))
    headlight = {"plain": uniform(rng, 0.12, 0.26)}.get(
        kind, choose(rng, [0.0, uniform(rng, 0, 0.15)])
    )
    return Lighting(
        radiance.astype(np.float32),
        keys,
        colors.astype(np.float32),
        headlight,
        kind != "plain" or chance(rng, 0.3),
        uniform(rng, 0.1, 0.5) if chance(rng, 0.6) else 0.0,
    )


class Studio:
    """A scene with its shadow maps and lighting, ready for pictures."""

    def __init__(self, scene: Scene, lighting: Lighting, spread: ShadowMaps):
        self.scene, self.lighting, self.spread = scene, lighting, spread
        self.keys = (
            shadow_maps(scene, lighting.keys, 2 * MAP_SIDE)
            if lighting.shadows
            else ShadowMaps(axes_of(lighting.keys), np.zeros((KEY_LIGHTS, 1), np.float32), 1)
        )
        self.mips = MipMaps(scene.look.textures)

    def picture(self, camera: Camera):
        """(RGBA uint8 [SIDE,SIDE,4] with straight alpha, int8 [HINT_SIDE,HINT_SIDE,4]: normal in
        the camera's frame times 127, depth before the object's centre over DEPTH_RANGE times
        127)."""
        scene, size = self.scene, SIDE * SUPERSAMPLING
        pixels, distance = project(camera, scene.vertices, size)
        x, y = (np.ascontiguousarray(pixels[:, k]) for k in (0, 1))
        inverse = 1.0 / distance
        nearest, owner = np.zeros(size * size, np.float32), np.full(size * size, -1, np.int32)
        kernels.rasterize(x, y, inverse, scene.triangles, size, nearest, owner)
        pixel, triangle, samples, column, row = kernels.fragments(owner, SIDE, SUPERSAMPLING)
        position, normal, flat, uv, depth = kernels.interpolate(
            triangle,
            column,
            row,
            x,
            y,
            inverse,
            scene.triangles,
            scene.vertices,
            scene.normals,
            scene.uv,
        )
        rotation, origin = camera.frame()
        to_eye = (origin - position).astype(np.float32)
        to_eye /= np.linalg.norm(to_eye, axis=1, keepdims=True)
        turned = np.sign(np.einsum("fi,fi->f", flat, to_eye))[:, None]
        turned[turned == 0] = 1
        flat, normal = flat * turned, normal * turned
        base = self.base_colors(triangle, position, uv, pixels)
        colors = self.shade(triangle, base, position, normal, flat, to_eye)
        picture = resolve(colors, pixel, samples)
        hint = hints(
            pixel,
            samples,
            normal @ rotation.T.astype(np.float32),
            (camera.distance - depth) / DEPTH_RANGE,
        )
        return picture, hint

    def base_colors(self, triangle, position, uv, pixels):
        scene, look = self.scene, self.scene.look
        ids = scene.material_ids[triangle]
        colors = look.colors[ids].copy()
        for k, pattern in enumerate(look.patterns):
            at = np.flatnonzero(ids == k) if pattern is not None else []
            if len(at):
                built = position[at] / scene.build_scale + scene.build_center
                weight = np.asarray(pattern[0](built), np.float32)[:, None]
                colors[at] += weight * (pattern[1] - colors[at])
        texture = look.texture[ids]
        if (texture != NO_TEXTURE).any():
            level = self.mip_levels(triangle, texture, pixels)
            kernels.sample_textures(uv, texture, level, self.mips.pixels, self.mips.tables, colors)
        return colors

    def mip_levels(self, triangle, texture, pixels):
        """For each fragment the level whose texels are about as large as a pixel of the picture."""
        seen, place = np.unique(triangle, return_inverse=True)
        corners, uv = pixels[self.scene.triangles[seen]] / SUPERSAMPLING, self.scene.uv[seen]
        area, uv_area = (
            np.abs(cross2(each[:, 1] - each[:, 0], each[:, 2] - each[:, 0]))
            for each in (corners, uv)
        )
        tables = self.mips.tables[np.maximum(texture, 0), 0]
        texels = uv_area[place] * tables[:, 1] * tables[:, 2]
        level = 0.5 * np.log2(np.maximum(texels / np.maximum(area[place], 1e-6), 1.0))
        return np.minimum(level + 0.3, self.mips.tables.shape[1] - 1).astype(np.int32)

    def shade(self, triangle, base, position, normal, flat, to_eye):
        """Lit colours [F,3] in 0..1."""
        scene, lights = self.scene, self.lighting
        diffuse = kernels.light(
            position,
            normal,
            flat,
            self.spread.axes,
            lights.radiance,
            self.spread.maps,
            self.spread.size,
            REACH,
            OFFSET,
            BIAS,
            lights.shadows,
        )
        facing = np.maximum(np.einsum("fi,fi->f", normal, to_eye), 0)
        diffuse += (lights.headlight * facing)[:, None]
        ids = scene.material_ids[triangle]
        specular, shininess = scene.look.specular[ids], scene.look.shininess[ids]
        shine = np.zeros_like(diffuse)
        for k in range(KEY_LIGHTS):
            color = lights.key_colors[k : k + 1]
            if not color.any():
                continue
            own = slice(k, k + 1)
            key = kernels.light(
                position,
                normal,
                flat,
                self.keys.axes[own],
                color,
                self.keys.maps[own],
                self.keys.size,
                REACH,
                OFFSET,
                BIAS,
                lights.shadows,
            )
            diffuse += key
            half = to_eye + lights.keys[k].astype(np.float32)
            half /= np.maximum(np.linalg.norm(half, axis=1, keepdims=True), 1e-6)
            peak = np.maximum(np.einsum("fi,fi->f", normal, half), 0) ** shininess * specular
            shine += peak[:, None] * color * (key.sum(1, keepdims=True) > 0)
        if lights.mirror:
            mirrored = 2 * facing[:, None] * normal - to_eye
            fresnel = 0.15 + 0.85 * (1 - facing) ** 5
            sky = 0.5 + 0.5 * np.tanh(4 * mirrored[:, 1])
            shine += (lights.mirror * specular * fresnel * sky)[:, None]
        return soft_shoulder(base * diffuse + shine)


def cross2(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def soft_shoulder(colors):
    """Brings bright values below 1 without clipping: white parts keep their shading."""
    excess = np.maximum(colors - SHOULDER, 0)
    room = 1 - SHOULDER
    return np.minimum(colors, SHOULDER) + room * (1 - np.exp(-excess / room))


def resolve(colors, pixel, samples):
    """Averages the samples of each pixel: alpha is the share that hit, colour the hits' mean."""
    count = np.bincount(pixel, samples, minlength=SIDE**2)
    image = np.zeros((SIDE**2, 4))
    for channel in range(3):
        total = np.bincount(pixel, colors[:, channel] * samples, minlength=SIDE**2)
        image[:, channel] = total / np.maximum(count, 1)
    image[:, 3] = count / SUPERSAMPLING**2
    return np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8).reshape(SIDE, SIDE, 4)


def hints(pixel, samples, normal, depth):
    """See Studio.picture; 0 outside the object."""
    step = SIDE // HINT_SIDE
    place = pixel // SIDE // step * HINT_SIDE + pixel % SIDE // step
    count = np.maximum(np.bincount(place, samples, minlength=HINT_SIDE**2), 1)
    out = np.stack(
        [
            np.bincount(place, each * samples, minlength=HINT_SIDE**2) / count
            for each in (*normal.T, depth)
        ],
        1,
    )
    length = np.linalg.norm(out[:, :3], axis=1, keepdims=True)
    out[:, :3] /= np.maximum(length, 1e-6)
    return np.rint(127 * np.clip(out, -1, 1)).astype(np.int8).reshape(HINT_SIDE, HINT_SIDE, 4)
