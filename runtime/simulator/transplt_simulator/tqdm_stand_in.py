# SPDX-License-Identifier: Apache-2.0
"""In the place of tqdm, tqdm.auto and tqdm.notebook: goes through what it is given and draws nothing."""

import sys

_OPTIONS = {
    "leave", "file", "ncols", "mininterval", "maxinterval", "miniters", "ascii", "disable", "unit",
    "unit_scale", "dynamic_ncols", "smoothing", "bar_format", "initial", "position", "postfix",
    "unit_divisor", "write_bytes", "lock_args", "nrows", "colour", "delay", "gui", "display",
}


class TqdmTypeError(TypeError):
    pass


class TqdmKeyError(KeyError):
    pass


class tqdm:  # the name is that of the original
    def __init__(self, iterable=None, desc=None, total=None, leave=True, *positional, **options):
        unknown = set(options) - _OPTIONS
        if unknown:
            raise TqdmKeyError("Unknown argument(s): %s" % ", ".join(sorted(unknown)))
        if total is None and hasattr(iterable, "__len__"):
            total = len(iterable)
        self.iterable, self.total, self.leave = iterable, total, leave
        self.desc = desc or ""
        self.n = self.initial = options.get("initial", 0)
        self.disable = bool(options.get("disable", False))
        self.unit = options.get("unit", "it")
        self.postfix = options.get("postfix")

    def __iter__(self):
        for value in self.iterable:
            yield value
            self.n += 1

    def __len__(self):
        if self.iterable is None:
            return self.total
        return len(self.iterable)

    def __bool__(self):
        if self.total is None and self.iterable is None:
            raise TypeError("bool() undefined when iterable == total == None")
        return bool(self.total if self.total is not None else self.iterable)

    def __reversed__(self):
        self.iterable = reversed(self.iterable)
        return iter(self)

    def __contains__(self, value):
        return value in self.iterable

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def update(self, n=1):
        self.n += n

    def reset(self, total=None):
        self.n = 0
        if total is not None:
            self.total = total

    def set_description(self, desc=None, refresh=True):
        self.desc = desc + ": " if desc else ""

    def set_description_str(self, desc=None, refresh=True):
        self.desc = desc or ""

    def set_postfix(self, ordered_dict=None, refresh=True, **values):
        dict([] if ordered_dict is None else ordered_dict, **values)

    def set_postfix_str(self, s="", refresh=True):
        self.postfix = str(s)

    def close(self):
        pass

    clear = refresh = unpause = display = lambda self, *args, **kwargs: None

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False):
        stream = file if file is not None else sys.stdout
        stream.write(s)
        stream.write(end)

    @classmethod
    def pandas(cls, *args, **kwargs):
        raise NotImplementedError("tqdm is not installed, and its stand-in has no progress bars for "
                                  "pandas: install tqdm for this Python")


tqdm_notebook = tqdm


def trange(*args, **options):
    return tqdm(range(*args), **options)


tnrange = trange
