# SPDX-License-Identifier: Apache-2.0
"""What other packages accepted once and refuse now: taken as it was meant, and reported."""

from . import old_names


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


MODULES = {"torchvision.transforms.functional": allow_in_transforms, "yaml": allow_in_yaml}
