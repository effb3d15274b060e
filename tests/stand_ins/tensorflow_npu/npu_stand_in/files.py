# SPDX-License-Identifier: Apache-2.0
"""tf.gfile and tf.io.gfile: files as they are."""

import glob
import io
import os
import shutil


class TextFile(io.TextIOWrapper):
    """Takes bytes for text, as tf.gfile does."""

    def write(self, text):
        return super().write(text.decode("utf-8") if isinstance(text, bytes) else text)


def open_file(name, mode="r"):
    if "b" in mode:
        return open(name, mode)
    return TextFile(open(name, mode + "b"), encoding="utf-8")


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
