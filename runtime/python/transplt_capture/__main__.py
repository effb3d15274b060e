# SPDX-License-Identifier: Apache-2.0
"""python -m transplt_capture SCRIPT [ARGUMENTS]: runs the script with this package in the place of
ptdbg_ascend, msprobe, torch.utils.dumper and the dumps of torch.npu, where they are missing."""

import os
import runpy
import sys


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    script = sys.argv[1]
    if not os.path.isfile(script):
        print(f"transplt_capture: {script}: no such file", file=sys.stderr)
        return 2
    from .names import install

    install()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
