"""Makes pickles/: the same contents by every pickle protocol of the Python that runs this (2 and 3 have been used).

python2 make_pickles.py; python3 make_pickles.py. Needs numpy.
Every array holds 0, 1, 2, ... in row-major order, minus 3 where its type is signed, times 0.5 where it is a float.
"""
import os
import pickle
import sys

import numpy as np

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pickles')
PREFIX = 'python%d' % sys.version_info[0]


def numbers(dtype, *shape):
    values = np.arange(int(np.prod(shape)), dtype=np.float64)
    if np.dtype(dtype).kind in 'if':
        values -= 3
    if np.dtype(dtype).kind == 'f':
        values *= 0.5
    return values.astype(dtype).reshape(shape)


def contents():
    types = '<f4 <f8 >f4 >f8 <i4 <i8 >i4 i1 i2 u1 <u2 u4 u8'.split()
    arrays = [numbers(t, 2, 3) for t in types]
    return [
        arrays,
        {'points': np.asfortranarray(numbers('f4', 3, 4))},
        (numbers('f8', 2, 3, 4).copy(order='F'), numbers('f4', 0, 3), np.array(-1.5)),
        np.array([[False, True]]),
        [np.float32(1.5), np.int64(7), 3, -70000, 10 ** 12, 2.5, True, None, 'text', u'\u00e9\n\\', [], (), {}],
    ]


def save(name, value, protocol):
    with open(os.path.join(OUT, '%s_%s_protocol%d.dat' % (PREFIX, name, protocol)), 'wb') as stream:
        pickle.dump(value, stream, protocol)


if __name__ == '__main__':
    if not os.path.isdir(OUT):
        os.makedirs(OUT)
    for p in range(pickle.HIGHEST_PROTOCOL + 1):
        save('everything', contents(), p)
        save('points', numbers('f4', 5, 6), p)
        save('pair', [numbers('f4', 2, 6) * 0, numbers('f4', 5, 6)], p)
