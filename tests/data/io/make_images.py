"""Makes images/: small PNGs, JPEGs and WebPs of every kind, and NAME.rgba, the pixels [height, width, 4] that they hold.

The pixels are what PIL decodes (OpenCV where PIL does not keep 16 bits), checked against what was encoded.
Needs numpy, pillow, opencv-python-headless.
"""
import io
import pathlib
import struct

import cv2
import numpy as np
from PIL import Image, ImageOps

import png_writer

OUT = pathlib.Path(__file__).parent / 'images'
WIDTH, HEIGHT = 13, 11


def save(name, data, pixels):
    (OUT / name).write_bytes(data)
    (OUT / name).with_suffix('.rgba').write_bytes(np.ascontiguousarray(pixels, np.uint8).tobytes())


def decode_png(data, depth):
    if depth < 16:
        return np.asarray(Image.open(io.BytesIO(data)).convert('RGBA'))
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    assert pixels.dtype == np.uint16
    pixels = (pixels >> 8).astype(np.uint8)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], 3, 2)
    if pixels.shape[2] == 3:
        pixels = np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])
    return pixels[:, :, [2, 1, 0, 3]]


def png(name, colour_type, depth, **options):
    rng = np.random.default_rng(len(name) + depth)
    top = len(options['palette']) if 'palette' in options else 1 << depth
    samples = rng.integers(0, top, (HEIGHT, WIDTH, png_writer.CHANNELS[colour_type]))
    if 'transparency' in options and colour_type != 3:
        key = struct.unpack('>%dH' % samples.shape[2], options['transparency'])
        samples[2:5, 3:9] = key
    data = png_writer.encode(samples, colour_type, depth, **options)
    pixels = decode_png(data, depth)
    if colour_type in (0, 2, 6) and 'transparency' not in options:
        scaled = samples * 255 // ((1 << depth) - 1) if depth <= 8 else samples >> 8
        assert np.array_equal(pixels[:, :, :scaled.shape[2]], scaled), name
    if 'transparency' in options:
        assert 0 < (pixels[:, :, 3] < 255).sum() < pixels[:, :, 3].size, name
    save(name + '.png', data, pixels)


def make_pngs():
    for depth in (1, 2, 4, 8, 16):
        png('gray%d' % depth, 0, depth)
        png('gray%d_interlaced' % depth, 0, depth, interlaced=True)
    palette = np.random.default_rng(3).integers(0, 256, (16, 3))
    for depth in (1, 2, 4, 8):
        png('palette%d' % depth, 3, depth, palette=palette[:1 << depth], transparency=bytes([0, 128][:depth]))
    png('palette8_opaque_interlaced', 3, 8, palette=palette, interlaced=True)
    png('gray8_transparent', 0, 8, transparency=struct.pack('>H', 77))
    png('rgb8_transparent', 2, 8, transparency=struct.pack('>3H', 10, 20, 30))
    for depth in (8, 16):
        png('gray_alpha%d' % depth, 4, depth)
        png('rgb%d' % depth, 2, depth)
        png('rgba%d' % depth, 6, depth)
        png('rgba%d_interlaced' % depth, 6, depth, interlaced=True)


def smooth(height, width):
    y, x = np.mgrid[0:height, 0:width]
    return np.dstack([x * 9 % 256, (y * 11 + x * 3) % 256, 128 + 100 * np.sin((x + 2 * y) / 7)]).astype(np.uint8)


def jpeg(name, image, **options):
    stream = io.BytesIO()
    image.save(stream, 'JPEG', quality=90, **options)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(stream.getvalue())))
    save(name + '.jpg', stream.getvalue(), np.asarray(upright.convert('RGBA')))


def make_jpegs():
    picture = Image.fromarray(smooth(21, 29))
    jpeg('jpeg_rgb', picture)
    jpeg('jpeg_rgb_444', picture, subsampling=0)
    jpeg('jpeg_progressive', picture, progressive=True)
    jpeg('jpeg_gray', picture.convert('L'))
    jpeg('jpeg_cmyk', picture.convert('CMYK'))
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        jpeg('jpeg_orientation%d' % orientation, picture, exif=exif)
    big_endian = b'Exif\0\0MM\0*' + struct.pack('>IHHHIHHI', 8, 1, 0x0112, 3, 1, 6, 0, 0)
    jpeg('jpeg_orientation6_big_endian', picture, exif=big_endian)


def webp(name, image, **options):
    stream = io.BytesIO()
    image.save(stream, 'WEBP', **options)
    save(name + '.webp', stream.getvalue(), np.asarray(Image.open(io.BytesIO(stream.getvalue())).convert('RGBA')))


def make_webps():
    picture = Image.fromarray(smooth(21, 29))
    clear = picture.convert('RGBA')
    clear.putalpha(Image.fromarray(smooth(21, 29)[..., 0]))
    webp('webp_lossy', picture, quality=90)
    webp('webp_lossless', picture, lossless=True)
    webp('webp_lossy_alpha', clear, quality=90)
    webp('webp_lossless_alpha', clear, lossless=True, exact=True)
    stream = io.BytesIO()
    picture.save(stream, 'WEBP', save_all=True, append_images=[picture.rotate(180)], duration=100)
    (OUT / 'webp_animated.webp').write_bytes(stream.getvalue())


if __name__ == '__main__':
    OUT.mkdir(exist_ok=True)
    make_pngs()
    make_jpegs()
    make_webps()
