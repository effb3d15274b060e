# SPDX-License-Identifier: Apache-2.0
"""How each process and thread ends: exceptions, exit codes, also where a parent ignores them."""

import atexit
import os
import sys
import threading
import time

from . import report

_started = time.time()
_code = 0
_exit_written = False
_before_exit = []


def before_exit(action):
    """`action` runs once before the exit event of this process."""
    _before_exit.append(action)


def _write_exit(code):
    global _exit_written
    if _exit_written:
        return
    _exit_written = True
    for action in _before_exit:
        action()
    report.write("exit", code=code, seconds=round(time.time() - _started, 3))


def _number(code):
    if code is None:
        return 0
    return code if isinstance(code, int) else 1


def _wrap_hooks():
    shown = sys.excepthook

    def excepthook(kind, value, trace):
        global _code
        _code = 1
        report.exception(kind, value, trace, "main")
        (shown if sys.excepthook is excepthook else sys.__excepthook__)(kind, value, trace)

    sys.excepthook = excepthook
    in_thread = threading.excepthook

    def thread_excepthook(arguments):
        report.exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback, "thread")
        in_thread(arguments)

    threading.excepthook = thread_excepthook


def _wrap_exits():
    leave, leave_at_once = sys.exit, os._exit

    def exit(code=None):
        global _code
        if threading.current_thread() is threading.main_thread():
            _code = _number(code)
        leave(code)

    def exit_at_once(status):
        _write_exit(status)
        leave_at_once(status)

    sys.exit = exit
    os._exit = exit_at_once
    atexit.register(lambda: _write_exit(_code))


def _wrap_multiprocessing():
    from multiprocessing import process

    run = process.BaseProcess.run
    bootstrap = process.BaseProcess._bootstrap

    def recorded_run(self):
        try:
            run(self)
        except BaseException as error:
            report.exception(type(error), error, error.__traceback__, "child")
            raise

    def recorded_bootstrap(self, *args, **kwargs):
        code = bootstrap(self, *args, **kwargs)
        _write_exit(code)
        return code

    process.BaseProcess.run = recorded_run
    process.BaseProcess._bootstrap = recorded_bootstrap


def record_in_child(function):
    """`function` as it is, but what it raises is recorded; for callers that swallow it."""

    def recorded(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            report.exception(type(error), error, error.__traceback__, "child")
            raise

    return recorded


def end_children():
    """Workers of a process that ends without asking them."""
    multiprocessing = sys.modules.get("multiprocessing")
    for child in multiprocessing.active_children() if multiprocessing else ():
        child.terminate()


def install(write_start):
    """Wraps the ends of processes and threads; a forked child writes a report of its own."""
    _wrap_hooks()
    _wrap_exits()
    _wrap_multiprocessing()

    def in_child():
        global _exit_written, _started, _code
        _exit_written, _started, _code = False, time.time(), 0
        report.reset()
        write_start()

    os.register_at_fork(after_in_child=in_child)
