# SPDX-License-Identifier: Apache-2.0
"""Python runs this file at the start of each process that has this folder first on PYTHONPATH."""

import os
import sys


def _run_shadowed():
    """The sitecustomize of the installation, which this file hides, runs all the same."""
    import importlib.machinery
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    others = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if os.environ.get("TRANSPLT_SIMULATE"):
    from transplt_simulator import startup

    startup.begin()
_run_shadowed()
