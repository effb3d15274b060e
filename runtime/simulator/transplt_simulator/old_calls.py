# SPDX-License-Identifier: Apache-2.0
"""What other packages accepted once and refuse now: taken as it was meant, and reported."""

import functools

from . import old_names, report


def allow_in_transforms(module):
    """Normalize took three means for pictures of one channel, and used the first."""
    original = module.normalize

    def normalize(tensor, mean, std, inplace=False):
        try:
            channels = tensor.shape[-3]
            if channels < len(mean) and channels < len(std):
                old_names.accept("Normalize((m, m, m), ...)", "Normalize((m,), ...)")
                mean, std = mean[:channels], std[:channels]
        except (AttributeError, IndexError, TypeError):
            pass  # not what it takes: the original says so
        return original(tensor, mean, std, inplace)

    module.normalize = normalize


def allow_in_yaml(module):
    """yaml.load(text) chose its Loader itself."""
    original = module.load

    def load(stream, Loader=None):
        if Loader is None:
            old_names.accept("yaml.load(text)", "yaml.safe_load(text)")
            Loader = module.FullLoader
        return original(stream, Loader)

    module.load = load


def _retry(original, refusal, old, now, **meant):
    """A call of the project that is refused for this reason is made again as it was meant."""

    @functools.wraps(original)
    def call(*args, **kwargs):
        try:
            return original(*args, **kwargs)
        except ValueError as error:
            if refusal not in str(error) or not report.is_called_by_user():
                raise
            if any(name in kwargs for name in meant):
                raise
        old_names.accept(old, now)
        return original(*args, **kwargs, **meant)

    return call


def allow_in_numpy(module):
    """Rows of several lengths were an array of objects; files of objects were read unasked."""
    for name in ("array", "asarray"):
        now = "numpy.%s(rows, dtype=object)" % name
        setattr(module, name, _retry(getattr(module, name), "inhomogeneous",
                                     "numpy.%s(rows of several lengths)" % name, now, dtype=object))
    module.load = _retry(module.load, "allow_pickle=False", "numpy.load(a file of objects)",
                         "numpy.load(file, allow_pickle=True)", allow_pickle=True)


MODULES = {"numpy": allow_in_numpy, "torchvision.transforms.functional": allow_in_transforms, "yaml": allow_in_yaml}
