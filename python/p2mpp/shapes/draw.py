"""Random choices, all from the one numpy.random.Generator of a shape."""


def uniform(rng, low, high):
    """A float in [low, high)."""
    return float(rng.uniform(low, high))


def chance(rng, probability):
    """True with the given probability."""
    return bool(rng.random() < probability)


def integer(rng, low, high):
    """An int in low..high, both included."""
    return int(rng.integers(low, high + 1))


def choose(rng, items):
    """One of the items, all equally likely."""
    return items[int(rng.integers(len(items)))]


def weighted(rng, weights):
    """A key of the dict `weights`, with probability in proportion to its value."""
    target = rng.random() * sum(weights.values())
    for key, weight in weights.items():
        target -= weight
        if target < 0:
            return key
    return key
