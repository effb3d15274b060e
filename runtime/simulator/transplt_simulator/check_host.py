# SPDX-License-Identifier: Apache-2.0
"""Says whether this Python can run the simulator: python3 -m transplt_simulator.check_host"""

import json
import os
import platform
import sys


def describe():
    """What the host has, as the object that is printed."""
    found = {"python": platform.python_version(), "torch": None, "supported": False, "error": None}
    if sys.version_info < (3, 8):
        found["error"] = "Python 3.8 or newer is needed"
        return found
    try:
        import torch
    except Exception as error:  # a broken installation raises anything
        found["error"] = "torch cannot be imported: %s: %s" % (type(error).__name__, error)
        return found
    found["torch"] = torch.__version__
    if not hasattr(torch, "_C"):
        found["error"] = "the torch that was imported is not PyTorch: %s" % torch.__file__
        return found
    found["supported"] = torch.__version__.startswith("1.13")
    if not found["supported"]:
        found["error"] = ("the simulator is tested with torch 1.13 only; with torch %s it goes on, "
                          "untested" % torch.__version__)
    return found


if __name__ == "__main__":
    os.environ.pop("TRANSPLT_SIMULATE", None)
    print(json.dumps(describe()))
