# SPDX-License-Identifier: Apache-2.0
"""What a figure, its parts, colours and movies have in common: they take what is drawn."""

import os

_PIXELS = ("buffer_rgba", "tostring_rgb", "tostring_argb", "print_to_buffer", "print_png",
           "print_rgba", "to_jshtml", "to_html5_video", "imread")
_PARTS = ("get_figure", "get_legend", "get_cmap", "get_xaxis", "get_yaxis", "get_current_fig_manager",
          "get_legend_handles_labels", "get_tightbbox", "get_window_extent")


def refuse(name):
    raise NotImplementedError("matplotlib is not installed, and its stand-in draws nothing, so that "
                              "%s has nothing to give: install matplotlib for this Python" % name)


def check_folder(target):
    """A figure is saved in a folder that exists, or not at all."""
    if not isinstance(target, (str, bytes, os.PathLike)):
        refuse("a figure in memory")
    folder = os.path.dirname(os.fspath(target))
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(2, "No such file or directory", os.fspath(target))


class Drawn:
    """A part of a figure. What a program could compute with is refused."""

    _count = 1

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _PIXELS or name.startswith("get_") and name not in _PARTS:
            refuse(name)
        return Drawn()

    def __call__(self, *args, **kwargs):
        """As many colours or bars as there are values."""
        drawn = Drawn()
        if args and hasattr(args[0], "__len__") and not isinstance(args[0], (str, bytes)):
            drawn._count = len(args[0])
        return drawn

    def __len__(self):
        return self._count

    def __bool__(self):
        return True

    def __getitem__(self, key):
        return Drawn()

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter([Drawn() for _ in range(self._count)])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def plot(self, *args, **kwargs):
        return [Drawn()]

    def savefig(self, fname, *args, **kwargs):
        check_folder(fname)

    def save(self, filename, *args, **kwargs):
        check_folder(filename)

    def subplots(self, nrows=1, ncols=1, *, squeeze=True, **options):
        return axes_of(nrows, ncols, squeeze)


def axes_of(rows, columns, squeeze):
    import numpy

    axes = numpy.empty((rows, columns), dtype=object)
    for place in numpy.ndindex(rows, columns):
        axes[place] = Drawn()
    if not squeeze:
        return axes
    return axes.item() if axes.size == 1 else axes.squeeze()


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    if name in _PIXELS:
        refuse(name)
    return type(name, (Drawn,), {})
