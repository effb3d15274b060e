# SPDX-License-Identifier: Apache-2.0
"""matplotlib.pyplot without a picture."""

from . import drawing, rcParams
from .drawing import Drawn

cm = style = Drawn()
rc_params = rcParams
_NAMES = set("""
    annotate arrow autoscale axes axhline axhspan axis axvline axvspan bar bar_label barbs barh box
    boxplot broken_barh cla clabel clf clim close cohere colorbar contour contourf cool copper delaxes
    disconnect draw draw_if_interactive errorbar eventplot figimage figlegend figtext fill fill_between
    fill_betweenx flag gca gcf gci get_cmap get_current_fig_manager gray grid hexbin hist hist2d hlines
    hot hsv imshow inferno install_repl_displayhook interactive ioff ion jet legend locator_params
    loglog magma margins matshow minorticks_off minorticks_on new_figure_manager nipy_spectral pause
    pcolor pcolormesh pie pink plasma plot plot_date polar prism quiver quiverkey rc rcdefaults rgrids
    sca scatter sci semilogx semilogy set_cmap setp show spring spy stackplot stairs stem step
    streamplot subplot subplot2grid subplot_mosaic subplot_tool subplots_adjust summer suptitle
    switch_backend table text thetagrids tick_params ticklabel_format tight_layout title tricontour
    tricontourf tripcolor triplot twinx twiny violinplot viridis vlines winter xcorr xkcd xlabel xlim
    xscale xticks ylabel ylim yscale yticks Axes Circle Figure FormatStrFormatter Line2D MaxNLocator
    MultipleLocator Normalize Polygon Rectangle Text
    """.split())


def figure(*args, **kwargs):
    return Drawn()


def subplots(nrows=1, ncols=1, *, squeeze=True, **options):
    return Drawn(), drawing.axes_of(nrows, ncols, squeeze)


def plot(*args, **kwargs):
    return [Drawn()]


def hist(x, bins=10, range=None, density=False, weights=None, **options):
    import numpy

    counts, edges = numpy.histogram(numpy.asarray(x), 10 if bins is None else bins, range,
                                    density=density, weights=weights)
    return counts, edges, [Drawn() for _ in counts]


def savefig(fname, *args, **kwargs):
    drawing.check_folder(fname)


imsave = savefig


def get_fignums():
    return []


def fignum_exists(num):
    return False


def __getattr__(name):
    if name in _NAMES:
        return Drawn()
    if name in drawing._PIXELS or name in ("ginput", "waitforbuttonpress"):
        drawing.refuse(name)
    raise AttributeError("module 'matplotlib.pyplot' has no attribute %r" % name)
