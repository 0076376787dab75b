"""Writes template_golden.txt: what the hierarchy of a level-0 OBJ must be, computed densely with numpy.

Usage: make_template_golden.py ../../../data/templates/ellipsoid_156.obj > template_golden.txt
"""
import sys

import numpy as np

LEVELS = 3


def read_obj(path):
    """(number of vertices, faces as index triples from 0)."""
    with open(path, encoding='utf-8') as file:
        rows = [line.split() for line in file]
    faces = [tuple(int(word.split('/')[0]) - 1 for word in row[1:4]) for row in rows if row[:1] == ['f']]
    return sum(row[:1] == ['v'] for row in rows), faces


def subdivide(count, faces):
    """(edges whose midpoints are appended, child faces), both in the published order."""
    index, edges = {}, []
    for a, b, c in faces:
        for edge in ((a, b), (c, a), (b, c)):
            if index.setdefault(frozenset(edge), count + len(edges)) == count + len(edges):
                edges.append(edge)
    children = []
    for a, b, c in faces:
        ab, ca, bc = (index[frozenset(edge)] for edge in ((a, b), (c, a), (b, c)))
        children += [(a, ab, ca), (b, ab, bc), (c, ca, bc), (ab, ca, bc)]
    return edges, children


def chebyshev(count, faces):
    """(lambda_max, T1 = 2 L / lambda_max - I) of the normalised Laplacian L."""
    adjacency = np.zeros((count, count))
    for face in faces:
        for i in range(3):
            adjacency[face[i], face[i - 1]] = adjacency[face[i - 1], face[i]] = 1
    degrees = adjacency.sum(1)
    laplacian = np.eye(count) - adjacency / np.sqrt(degrees[:, None] * degrees[None])
    largest = np.linalg.eigvalsh(laplacian).max()
    return largest, 2 * laplacian / largest - np.eye(count)


def checksum(rows):
    """Depends on every index and its place."""
    value = 0
    for row in rows:
        for index in row:
            value = (value * 1000003 + int(index) + 1) % 2**64
    return value


def main():
    count, faces = read_obj(sys.argv[1])
    rng = np.random.default_rng(1)
    print('# Made by make_template_golden.py from data/templates/ellipsoid_156.obj.')
    print('# level: vertices, triangles, their checksum, unpool edges, their checksum, lambda_max')
    print('# support: level, row, column, T1 there')
    for level in range(LEVELS):
        edges, children = subdivide(count, faces)
        unpooled = edges if level + 1 < LEVELS else []
        largest, support = chebyshev(count, faces)
        print('level', count, len(faces), checksum(faces), len(unpooled), checksum(unpooled), f'{largest:.17g}')
        neighbours = [edges[i] for i in rng.choice(len(edges), 10, replace=False)]
        diagonal = [(i, i) for i in rng.choice(count, 3, replace=False)]
        empty = [(0, j) for j in np.flatnonzero(support[0] == 0)[[0, -1]]]
        for i, j in neighbours + [(j, i) for i, j in neighbours[:3]] + diagonal + empty:
            print('support', level, i, j, f'{support[i, j]:.17g}')
        count, faces = count + len(edges), children


main()
