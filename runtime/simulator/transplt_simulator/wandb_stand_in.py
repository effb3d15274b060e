# SPDX-License-Identifier: Apache-2.0
"""In the place of wandb: keeps the configuration that the program gives, and logs nothing."""

import os

from .tensorboard_stand_in import _Nothing

_SHOWN = {"Image", "Video", "Audio", "Table", "Histogram", "Html", "Object3D", "Molecule", "Graph",
          "Plotly", "plot", "Settings", "Artifact"}
_CALLS = {"watch", "unwatch", "login", "alert", "define_metric", "save", "log_artifact", "setup",
          "mark_preempting", "log_code"}


class Config(dict):
    """Values by attribute and by key; there are those that the program has given, and no others."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def update(self, values=(), allow_val_change=None):
        super().update(_as_dict(values))

    def setdefaults(self, values):
        for name, value in _as_dict(values).items():
            self.setdefault(name, value)
        return self


def _as_dict(values):
    return dict(values if hasattr(values, "keys") or isinstance(values, (tuple, list))
                else vars(values))


class _Run(_Nothing):
    def __init__(self, project=None, name=None, id=None, dir=None, **options):
        self.project, self.name, self.id = project, name or "run", id or "run"
        self.config, self.summary = config, summary
        self.dir = os.path.join(str(dir or "."), "wandb", self.id, "files")
        os.makedirs(self.dir, exist_ok=True)
        self.path, self.url, self.step = "", "", 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        finish()

    def log(self, data, *args, **options):
        log(data)

    def finish(self, *args, **options):
        finish()


config, summary, run = Config(), Config(), None


def init(*args, config=None, **options):
    global run
    if config is not None and not isinstance(config, str):
        globals()["config"].update(config)
    run = _Run(**options)
    return run


def log(data, *args, **options):
    if run is None:
        raise RuntimeError("You must call wandb.init() before wandb.log()")
    if not hasattr(data, "keys"):
        raise ValueError("wandb.log must be passed a dictionary")


def finish(*args, **options):
    global run
    run = None


def __getattr__(name):
    if name in _SHOWN:
        return _Nothing()
    if name in _CALLS:
        return lambda *args, **kwargs: None
    if name in ("agent", "sweep", "restore", "Api", "use_artifact"):
        raise NotImplementedError("wandb is not installed, and its stand-in has no %s, which gets "
                                  "values from a server: install wandb for this Python" % name)
    raise AttributeError("module 'wandb' has no attribute %r" % name)
