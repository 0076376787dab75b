"""Which photographs of many to match: neighbours in the order of their names, and those that look alike."""

from typing import List, Sequence, Tuple

import cv2
import numpy as np

WORDS = 64  # of the vocabulary, which is made of the photographs themselves
OF_A_PHOTOGRAPH = 400  # descriptors, the first
NEIGHBOURS = 8  # on either side
ALIKE = 12  # photographs, of each


def similar_pairs(descriptors: Sequence[np.ndarray]) -> List[Tuple[int, int]]:
    """Pairs (a, b), a < b, of photographs with SIFT descriptors [N,128] each. The order closes to a ring, because people
    walk around an object."""
    count = len(descriptors)
    pairs = {tuple(sorted((k, (k + step) % count))) for k in range(count) for step in range(1, NEIGHBOURS + 1)}
    vectors = aggregated(descriptors)
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -2)
    for k in range(count):
        pairs |= {tuple(sorted((k, int(other)))) for other in np.argsort(-likeness[k], kind="stable")[:ALIKE]}
    return sorted((a, b) for a, b in pairs if a != b)


def aggregated(descriptors: Sequence[np.ndarray]) -> np.ndarray:
    """A unit vector for each photograph: what is left of its descriptors beside the words next to them (VLAD)."""
    some = [each[:OF_A_PHOTOGRAPH].astype(np.float32) for each in descriptors]
    everything = np.concatenate(some)
    if len(everything) < WORDS:
        return np.zeros((len(some), 1), np.float32)
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 1.0)
    words = cv2.kmeans(everything[::max(1, len(everything) // 20000)], WORDS, None, stop, 1, cv2.KMEANS_PP_CENTERS)[2]
    vectors = np.zeros((len(some), WORDS, 128), np.float32)
    for vector, each in zip(vectors, some):
        if len(each):
            nearest = ((words**2).sum(1) - 2 * each @ words.T).argmin(1)
            np.add.at(vector, nearest, each - words[nearest])
    norms = np.linalg.norm(vectors, axis=2, keepdims=True)
    vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0).reshape(len(some), -1)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
