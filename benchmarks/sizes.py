"""How long texts are, by kind: recorded lengths at some quantiles, and new ones drawn between them."""

from __future__ import annotations

import math
from bisect import bisect_right
from random import Random

SHARES = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1)

# Characters at each of SHARES, as recorded.
LENGTHS = {
    "prompt": (2, 14, 25, 42, 64, 116, 171, 320, 458, 1324, 3435, 8669, 14599, 14774, 24370),
    "thinking": (20, 57, 71, 93, 114, 133, 178, 269, 405, 630, 1224, 1795, 3842, 4897, 28058),
    "answer": (2, 28, 37, 51, 62, 75, 88, 112, 142, 196, 642, 1276, 3603, 6142, 15763),
    "call": (8, 27, 37, 52, 73, 88, 106, 168, 369, 679, 1301, 2297, 4773, 8510, 22979),
    "result": (2, 30, 60, 105, 130, 160, 297, 620, 974, 1703, 3466, 10183, 15920, 26746, 83822),
}


def length(kind: str, random: Random) -> int:
    """A length in characters, drawn between the recorded quantiles on a logarithmic scale."""
    share = random.random()
    at = bisect_right(SHARES, share) - 1
    low, high = LENGTHS[kind][at], LENGTHS[kind][at + 1]
    part = (share - SHARES[at]) / (SHARES[at + 1] - SHARES[at])
    return int(math.exp(math.log(low) + part * (math.log(high) - math.log(low))))
