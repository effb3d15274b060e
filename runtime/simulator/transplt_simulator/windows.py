# SPDX-License-Identifier: Apache-2.0
"""A run shows no windows: where it runs there may be no screen, and nobody to close them.

Programs draw as ever; toolkits draw into memory, and cv2 shows nothing and sees no key pressed.
"""

import os

_TOOLKITS = {"QT_QPA_PLATFORM": "offscreen", "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy",
             "MPLBACKEND": "Agg"}
_ANSWERS = {"waitKey": -1, "waitKeyEx": -1, "pollKey": -1, "startWindowThread": 0, "createTrackbar": None,
            "getTrackbarPos": 0, "getWindowProperty": -1.0}
_NAMES = ("imshow", "namedWindow", "moveWindow", "resizeWindow", "destroyWindow", "destroyAllWindows",
          "setWindowTitle", "setWindowProperty", "setMouseCallback", "setTrackbarPos")


def _answering(value):
    return lambda *args, **kwargs: value


def after_cv2(module):
    for name in (*_NAMES, *_ANSWERS):
        if hasattr(module, name):
            setattr(module, name, _answering(_ANSWERS.get(name)))


def install():
    os.environ.update(_TOOLKITS)
