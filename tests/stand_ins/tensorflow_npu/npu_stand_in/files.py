# SPDX-License-Identifier: Apache-2.0
"""tf.gfile and tf.io.gfile: files as they are."""

import glob
import os
import shutil


def open_file(name, mode="r"):
    return open(name, mode, encoding=None if "b" in mode else "utf-8")


def make_folders(name, *rest):
    os.makedirs(name, exist_ok=True)


FUNCTIONS = {
    "Open": open_file, "GFile": open_file, "FastGFile": open_file,
    "Exists": os.path.exists, "exists": os.path.exists,
    "IsDirectory": os.path.isdir, "isdir": os.path.isdir,
    "ListDirectory": os.listdir, "listdir": os.listdir,
    "Glob": glob.glob, "glob": glob.glob,
    "MakeDirs": make_folders, "makedirs": make_folders, "MkDir": make_folders, "mkdir": make_folders,
    "Remove": os.remove, "remove": os.remove,
    "DeleteRecursively": shutil.rmtree, "rmtree": shutil.rmtree,
}
