# SPDX-License-Identifier: Apache-2.0
"""Messages that a script logs with their line have line 0: a migration moves lines."""

from . import report


def install(logging):
    original = logging.Logger.makeRecord

    def makeRecord(self, name, level, fn, lno, *args, **kwargs):
        if report.project_name(fn) is not None:
            lno = 0
        return original(self, name, level, fn, lno, *args, **kwargs)

    logging.Logger.makeRecord = makeRecord
