# SPDX-License-Identifier: Apache-2.0
"""The files that a bench measures with: a copy of all Python files of a folder, and parts of it."""

import os
import pathlib
import shutil

_VERSION_CONTROL = {".git", ".hg", ".svn"}


class PythonFiles:
    """Python files below one folder. `name` is what the result folder of a migration is called
    after."""

    def __init__(self, root, paths):
        self.root = pathlib.Path(root)
        self.paths = sorted(paths)
        sizes = [os.path.getsize(self.root / path) for path in self.paths]
        self.bytes = sum(sizes)
        self.largest = max(sizes, default=0)

    @classmethod
    def copied(cls, folder, root):
        """Copies the Python files of `folder` to the new folder `root`: all programs then see the
        same files, whatever each of them ignores by itself."""
        paths = []
        for place, folders, files in os.walk(folder):
            folders[:] = sorted(set(folders) - _VERSION_CONTROL)
            for name in files:
                source = os.path.join(place, name)
                plain = os.path.isfile(source) and not os.path.islink(source)
                if name.endswith(".py") and plain and os.access(source, os.R_OK):
                    path = os.path.relpath(source, folder)
                    target = root / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
                    paths.append(path)
        return cls(root, paths)

    def linked(self, root, every=1):
        """Every n-th file and the largest one, in the new folder `root`, as hard links: nothing is
        written, and a program that replaces a file leaves this copy alone."""
        chosen = set(self.paths[::every])
        chosen.add(max(self.paths, key=lambda path: os.path.getsize(self.root / path)))
        for path in chosen:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(self.root / path, target)
        return PythonFiles(root, chosen)

    def write_list(self, target):
        """The absolute paths, a NUL after each."""
        with open(target, "wb") as out:
            for path in self.paths:
                out.write(os.fsencode(self.root / path) + b"\0")
        return target

    def texts(self):
        for path in self.paths:
            yield (self.root / path).read_bytes()
