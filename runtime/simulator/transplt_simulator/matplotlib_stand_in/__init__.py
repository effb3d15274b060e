# SPDX-License-Identifier: Apache-2.0
"""In the place of matplotlib: nothing is drawn, and no picture is written."""

from .drawing import Drawn

__version__ = "3.6.3"
rcParams = {}
cm = colormaps = style = Drawn()


def use(backend, *args, **kwargs):
    pass


def get_backend():
    return "agg"


def rc(group, **values):
    rcParams.update({"%s.%s" % (group, name): value for name, value in values.items()})


def rcdefaults():
    rcParams.clear()


def interactive(b):
    pass


def set_loglevel(level):
    pass


def is_interactive():
    return False
