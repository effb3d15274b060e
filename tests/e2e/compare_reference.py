# SPDX-License-Identifier: Apache-2.0
"""The metrics of msaccucmp and msprobe in numpy, in float64: what transplt compare must give."""

import numpy as np

TINY = np.finfo(np.float64).eps
FLOOR = float(np.finfo(np.float32).eps)


def distribution(values):
    low, high = values.min(), values.max()
    scaled = (values - low) / (high - low) if high != low else values
    scaled = np.maximum(scaled, FLOOR)
    return scaled / scaled.sum()


def gain(p, q):
    """sum(p log(p/q)) without the loss of digits where p and q are close."""
    r = (p - q) / q
    small = np.abs(r) < 1e-3
    series = r * r * (0.5 - r * (1 / 6 - r * (1 / 12 - r / 20)))
    with np.errstate(invalid="ignore", divide="ignore"):
        exact = (1 + r) * np.log1p(r) - r
    return float(np.sum(q * np.where(small, series, exact)))


def metrics(x, y, epsilon=2.0 ** -23):
    """The metrics of x against the golden y, over the pairs that are finite."""
    x = np.asarray(x).astype(np.float64).ravel()
    y = np.asarray(y).astype(np.float64).ravel()
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    d = x - y
    norm_x, norm_y = np.sqrt((x * x).sum()), np.sqrt((y * y).sum())
    counted = np.abs(y) > TINY
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(counted, np.abs(d) / np.abs(y), 0)
        relative_all = np.abs(d) / np.where(y == 0, epsilon, np.abs(y))
    unit = x / norm_x - y / norm_y if norm_x > 0 and norm_y > 0 else None
    return {
        "cosine": 1 - 0.5 * float((unit * unit).sum()) if unit is not None else None,
        "max_absolute": np.abs(d).max(),
        "accumulated_relative": relative.sum(),
        "relative_euclidean": np.sqrt((d * d).sum()) / norm_y if norm_y > 0 else None,
        "kl_divergence": gain(distribution(x), distribution(y)),
        "deviation_a": x.std(),
        "deviation_b": y.std(),
        "mean_absolute": np.abs(d).mean(),
        "root_mean_square": np.sqrt((d * d).mean()),
        "max_relative": relative.max(),
        "mean_relative": relative.mean(),
        "euclidean": np.sqrt((d * d).sum()),
        "max_relative_msprobe": relative_all.max(),
        "mean_relative_msprobe": relative_all.mean(),
        "within_1e3": (relative_all < 1e-3).mean(),
        "within_5e3": (relative_all < 5e-3).mean(),
        "finite_pairs": int(fine.sum()),
    }
