# SPDX-License-Identifier: Apache-2.0
"""In the place of seaborn: nothing is drawn."""

from .matplotlib_stand_in.drawing import Drawn

_NAMES = set("""
    axes_style barplot boxenplot boxplot catplot choose_colorbrewer_palette clustermap countplot
    crayon_palette cubehelix_palette dark_palette despine displot distplot diverging_palette ecdfplot
    heatmap histplot hls_palette husl_palette jointplot kdeplot light_palette lineplot lmplot
    move_legend mpl_palette pairplot plotting_context pointplot regplot relplot reset_defaults
    reset_orig residplot rugplot scatterplot set set_color_codes set_context set_palette set_style
    set_theme stripplot swarmplot tsplot violinplot xkcd_palette FacetGrid JointGrid PairGrid
    """.split())


def color_palette(palette=None, n_colors=None, desat=None, as_cmap=False):
    if as_cmap:
        return Drawn()
    if n_colors is None:
        n_colors = 10 if palette is None or isinstance(palette, str) else len(palette)
    return [Drawn() for _ in range(n_colors)]


def __getattr__(name):
    if name in _NAMES:
        return Drawn()
    if name in ("load_dataset", "get_dataset_names"):
        raise NotImplementedError("seaborn is not installed, and its stand-in has no data: install "
                                  "seaborn for this Python")
    raise AttributeError("module 'seaborn' has no attribute %r" % name)
