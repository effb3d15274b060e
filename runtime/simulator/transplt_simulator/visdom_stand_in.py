# SPDX-License-Identifier: Apache-2.0
"""In the place of visdom: windows that nobody sees."""

_DRAWING = {
    "text", "image", "images", "video", "audio", "svg", "matplot", "plotlyplot", "scatter", "line",
    "heatmap", "bar", "histogram", "boxplot", "surf", "contour", "quiver", "mesh", "stem", "pie",
    "graph", "dual_axis_lines", "properties", "embeddings", "sunburst",
}
_OTHERS = {"save", "close", "delete_env", "fork_env", "replay_log", "register_event_handler",
           "clear_event_handlers", "set_window_data", "update_window_opts"}


class Visdom:
    def __init__(self, server="http://localhost", endpoint="events", port=8097, *args, env="main",
                 **options):
        self.server, self.endpoint, self.port, self.env = server, endpoint, port, env
        self._windows = 0

    def check_connection(self, timeout_seconds=0):
        return True

    def win_exists(self, win, env=None):
        return True

    def __getattr__(self, name):
        if name in _DRAWING:
            return self._draw
        if name in _OTHERS:
            return lambda *args, **kwargs: ""
        raise AttributeError("'Visdom' object has no attribute %r" % name)

    def _draw(self, *args, win=None, **kwargs):
        if win is None:
            self._windows += 1
            win = "window_%d" % self._windows
        return win
