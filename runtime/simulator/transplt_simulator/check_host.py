# SPDX-License-Identifier: Apache-2.0
"""Says whether this Python can run the simulator: python3 -m transplt_simulator.check_host"""

import importlib.util
import json
import os
import platform
import runpy
import sys


def torch_version():
    """Its version, or None and why there is none. Read from its folder: the import takes seconds."""
    spec = importlib.util.find_spec("torch")
    if spec is None:
        return None, "torch cannot be imported: there is no module of that name"
    folder = os.path.dirname(spec.origin or "")
    try:
        if os.path.isdir(os.path.join(folder, "nn")):
            return runpy.run_path(os.path.join(folder, "version.py"))["__version__"], None
        import torch
    except Exception as error:  # a broken installation raises anything
        return None, "torch cannot be imported: %s: %s" % (type(error).__name__, error)
    if not hasattr(torch, "_C"):
        return None, "the torch that was imported is not PyTorch: %s" % torch.__file__
    return torch.__version__, None


def describe():
    """What the host has, as the object that is printed."""
    found = {"python": platform.python_version(), "torch": None, "supported": False, "error": None}
    if sys.version_info < (3, 8):
        found["error"] = "Python 3.8 or newer is needed"
        return found
    version, found["error"] = torch_version()
    found["torch"] = version
    if version is None:
        return found
    found["supported"] = version.startswith("1.13")
    if not found["supported"]:
        found["error"] = ("the simulator is tested with torch 1.13 only; with torch %s it goes on, "
                          "untested" % version)
    return found


if __name__ == "__main__":
    os.environ.pop("TRANSPLT_SIMULATE", None)
    print(json.dumps(describe()))
