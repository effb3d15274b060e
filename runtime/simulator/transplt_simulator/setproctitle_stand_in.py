# SPDX-License-Identifier: Apache-2.0
"""In the place of setproctitle: what a list of processes would show is kept, and not shown."""

import sys

_title = " ".join(getattr(sys, "orig_argv", sys.argv))
_thread_title = ""


def setproctitle(title):
    global _title
    if not isinstance(title, str):
        raise TypeError("setproctitle() argument 'title' must be str, not %s" % type(title).__name__)
    _title = title


def getproctitle():
    return _title


def setthreadtitle(title):
    global _thread_title
    _thread_title = title


def getthreadtitle():
    return _thread_title
