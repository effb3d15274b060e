# SPDX-License-Identifier: Apache-2.0
"""Forks for each folder on stdin, runs FOLDER/project/main.py, and answers its exit code."""

import json
import os
import runpy
import sys

import torch  # noqa: F401  (so that the forks need not)

from transplt_simulator import processes, report
from transplt_simulator.settings import current as settings


def run_case(folder):
    project = os.path.join(folder, "project")
    for number, name in ((1, "stdout"), (2, "stderr")):
        target = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(target, number)
    report.reset(os.path.join(folder, "report"))
    settings.project = os.path.realpath(project)
    os.environ["TRANSPLT_SIMULATE_REPORT"] = settings.report_folder
    os.environ["TRANSPLT_SIMULATE_PROJECT"] = settings.project
    os.chdir(project)
    sys.path[0] = project
    sys.argv = ["main.py"]
    sys.stdout = open(1, "w", closefd=False)
    sys.stderr = open(2, "w", closefd=False)
    code = 0
    try:
        runpy.run_path(os.path.join(project, "main.py"), run_name="__main__")
    except SystemExit as error:
        code = processes._number(error.code)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main():
    torch.set_num_threads(1)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run_case(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)


if __name__ == "__main__":
    main()
