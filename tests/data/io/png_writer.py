"""Writes PNGs of every kind that the format knows: PIL writes neither 16-bit colour nor interlaced files."""
import struct
import zlib

import numpy as np

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of a colour type
ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def pack_rows(samples, depth):
    """[rows, columns, channels] -> filtered rows (filter type 0 and 1 in turns)."""
    out = b''
    for number, row in enumerate(samples):
        flat = row.reshape(-1)
        if depth == 16:
            data = flat.astype('>u2').tobytes()
        elif depth == 8:
            data = flat.astype(np.uint8).tobytes()
        else:
            bits = ''.join(format(int(v), '0%db' % depth) for v in flat)
            bits += '0' * (-len(bits) % 8)
            data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        step = max(1, row.shape[-1] * depth // 8)
        if number % 2:
            data = bytes((b - (data[i - step] if i >= step else 0)) & 255 for i, b in enumerate(data))
        out += bytes([number % 2]) + data
    return out


def encode(samples, colour_type, depth, interlaced=False, palette=None, transparency=None):
    height, width = samples.shape[:2]
    assert samples.ndim == 3 and samples.shape[2] == CHANNELS[colour_type]
    if interlaced:
        passes = [samples[y::dy, x::dx] for y, x, dy, dx in ADAM7]
        data = b''.join(pack_rows(p, depth) for p in passes if p.size)
    else:
        data = pack_rows(samples, depth)
    header = struct.pack('>IIBBBBB', width, height, depth, colour_type, 0, 0, int(interlaced))
    body = chunk(b'IHDR', header)
    if palette is not None:
        body += chunk(b'PLTE', np.asarray(palette, np.uint8).tobytes())
    if transparency is not None:
        body += chunk(b'tRNS', transparency)
    return b'\x89PNG\r\n\x1a\n' + body + chunk(b'IDAT', zlib.compress(data, 9)) + chunk(b'IEND', b'')
