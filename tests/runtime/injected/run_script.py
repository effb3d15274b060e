#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""run_script.py LOSSES {as-it-is|stand-in} SCRIPT ARGUMENTS: runs the script; the bits of every
tensor that is differentiated go into LOSSES, a line for each."""

import os
import runpy
import sys

import torch


def main():
    path, way, script = sys.argv[1:4]
    path = os.path.abspath(path)
    backward = torch.autograd.backward
    main_process = os.getpid()

    def noting(tensors, *arguments, **keywords):
        if os.getpid() == main_process and isinstance(tensors, torch.Tensor):
            with open(path, "a", encoding="utf-8") as file:
                file.write(tensors.detach().cpu().double().numpy().tobytes().hex() + "\n")
        return backward(tensors, *arguments, **keywords)

    torch.autograd.backward = noting
    if way == "stand-in":
        import transplt_capture

        transplt_capture.install()
    sys.argv = sys.argv[3:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
