# SPDX-License-Identifier: Apache-2.0
"""Records the shapes of the tensors that go through the calls of an instrumented program.

`transplt analyze --mode dynamic_shape -o OUT` writes a copy of a project in which calls read
`_transplt_shapes.at(FILE, CALL, f)(x)` instead of `f(x)`, and puts this module and
transplt_shapes.json beside it. The program computes what it computed before. When it ends,
msft_dynamic_shape_analysis_report.csv says which calls saw tensors and in which range their
shapes were; calls whose shapes changed come first.

Everything is recorded, unless the program says what: `for batch in transplt_shapes.start(loader)`
records the loop alone.

Needs Python 3.8 or later, and torch only where the program itself imports it.
"""
import atexit
import csv
import json
import linecache
import os
import sys
import threading
import tokenize

REPORT = "msft_dynamic_shape_analysis_report"
COLUMNS = ("Function Name", "File Path", "Line Number", "Call Stack", "Input Shape Range",
           "Output Shape Range")
_MAX_DEPTH = 3      # of lists in lists
_MAX_ITEMS = 64     # of a list
_MAX_FRAMES = 20    # of a call stack

# Compiled programs do not come back to Python for each call.
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")


def _find_root():
    """The folder with transplt_shapes.json: this one, or one above it."""
    folder = os.path.dirname(os.path.abspath(__file__))
    while not os.path.isfile(os.path.join(folder, "transplt_shapes.json")):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise ImportError("transplt_shapes.json is missing: run the whole folder that "
                              "`transplt analyze --mode dynamic_shape` has written")
        folder = parent
    return folder


class _Ranges:
    """The ranges of one argument's shapes: for each number of dimensions the bounds of each."""

    __slots__ = ("bounds",)

    def __init__(self):
        self.bounds = {}

    def add(self, shape):
        bounds = self.bounds.get(len(shape))
        if bounds is None:
            self.bounds[len(shape)] = [[size, size] for size in shape]
            return
        for bound, size in zip(bounds, shape):
            if size < bound[0]:
                bound[0] = size
            elif size > bound[1]:
                bound[1] = size

    def changes(self):
        return len(self.bounds) > 1 or any(
            low != high for bounds in self.bounds.values() for low, high in bounds)

    def __str__(self):
        return " or ".join(
            "[" + ", ".join(str(low) if low == high else f"{low}~{high}" for low, high in bounds) + "]"
            for _, bounds in sorted(self.bounds.items()))


class _Site:
    """What was seen at one call of the program."""

    def __init__(self, stack):
        self.stack = stack
        self.inputs = {}
        self.outputs = {}

    def changes(self):
        return any(r.changes() for side in (self.inputs, self.outputs) for r in side.values())


class Recorder:
    """The calls of one process."""

    def __init__(self, root):
        self.root = root
        self.active = True
        self.started = False
        self.sites = {}
        self.process = None
        self.misses = 0
        self.first_miss = ""
        self.lock = threading.Lock()
        with open(os.path.join(root, "transplt_shapes.json"), encoding="utf-8") as file:
            self.files = json.load(file)["files"]
        self.show_original_lines()

    def show_original_lines(self):
        """Tracebacks, inspect.getsource and torch.jit.script read the program as it was."""
        for name, entry in self.files.items():
            path = os.path.join(self.root, name)
            try:
                with open(path, "rb") as file:
                    text = file.read()
                size = len(text)
                for offset, length in reversed(entry["inserted"]):
                    text = text[:offset] + text[offset + length:]
                lines = text.splitlines(keepends=True)
                encoding = tokenize.detect_encoding(iter(lines).__next__)[0]
                decoded = text.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
            except (OSError, SyntaxError, UnicodeError):
                continue
            # Without a time the entry is never looked up again.
            linecache.cache[path] = (size, None, decoded.splitlines(keepends=True), path)

    def begin_process(self):
        """What has to be done once in each process that records something."""
        self.process = os.getpid()
        self.sites = {}
        torch = sys.modules.get("torch")
        data = getattr(getattr(torch, "utils", None), "data", None)
        if data is not None and data.get_worker_info() is not None:
            self.active = False  # what a worker computes never gets to a device
            return
        import multiprocessing
        import multiprocessing.util
        if multiprocessing.parent_process() is None:
            atexit.register(self.write)
        else:
            multiprocessing.util.Finalize(None, self.write, exitpriority=0)

    def missed(self, error):
        """An error while a value was noted: the program goes on, and the report says so."""
        if not self.misses:
            self.first_miss = repr(error)
        self.misses += 1

    def site(self, key):
        if self.process != os.getpid():
            with self.lock:
                if self.process != os.getpid():
                    self.begin_process()
        found = self.sites.get(key)
        if found is None:
            found = self.sites.setdefault(key, _Site(self.call_stack()))
        return found

    def call_stack(self):
        frames = []
        frame = sys._getframe(1)
        while frame is not None and len(frames) < _MAX_FRAMES:
            path = os.path.abspath(frame.f_code.co_filename)
            is_own = os.path.basename(path) == "transplt_shapes.py"
            if not is_own and path.startswith(self.root + os.sep):
                name = os.path.relpath(path, self.root)
                line = frame.f_lineno
                if name in self.files and 0 < self.files[name]["added_line"] < line:
                    line -= 1
                frames.append(f"{name}:{line} {frame.f_code.co_name}")
            frame = frame.f_back
        return " -> ".join(reversed(frames))

    def rows(self):
        names = {entry["id"]: (path, entry["sites"]) for path, entry in self.files.items()}
        rows = []
        for (file, call), site in self.sites.items():
            if not site.inputs and not site.outputs:
                continue
            path, calls = names[file]
            line, name = calls[call]
            rows.append((not site.changes(), path, line, call, name, site))
        rows.sort(key=lambda row: row[:4])
        for _, path, line, _, name, site in rows:
            yield (name, path, line, site.stack, _text_of(site.inputs), _text_of(site.outputs))

    def write(self):
        """Writes the report of this process; never ends a program with an error of its own."""
        if self.process != os.getpid() or not self.sites:
            return
        self.active = False
        rows = list(self.rows())
        name = REPORT
        import multiprocessing
        if os.environ.get("RANK", "0") != "0":
            name += "_rank" + os.environ["RANK"]
        elif multiprocessing.parent_process() is not None:
            name += f"_{os.getpid()}"
        for folder in (os.environ.get("TRANSPLT_SHAPES_DIR"), self.root, os.getcwd()):
            if not folder:
                continue
            path = os.path.join(folder, name + ".csv")
            try:
                with open(path, "w", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerow(COLUMNS)
                    writer.writerows(rows)
            except OSError:
                continue
            print(f"transplt: shapes of {len(rows)} calls: {path}", file=sys.stderr)
            if self.misses:
                print(f"transplt: {self.misses} values were not recorded; the first: "
                      f"{self.first_miss}", file=sys.stderr)
            return
        print("transplt: the shapes could not be written; name a folder in TRANSPLT_SHAPES_DIR",
              file=sys.stderr)


def _text_of(ranges):
    return "; ".join(f"{place}: {shapes}" if place else str(shapes)
                     for place, shapes in ranges.items())


def _note(ranges, place, value, tensor, depth=0):
    """Adds the shapes in `value`. Only plain lists, tuples and dictionaries are looked into: to
    walk through anything else could change it."""
    if isinstance(value, tensor):
        if place not in ranges:
            ranges[place] = _Ranges()
        ranges[place].add(tuple(value.shape))
        return
    if depth == _MAX_DEPTH:
        return
    kind = type(value)
    if kind is dict:
        if len(value) <= _MAX_ITEMS:
            for key, item in list(value.items()):
                if isinstance(key, (str, int)):
                    _note(ranges, f"{place}[{key!r}]", item, tensor, depth + 1)
    elif kind is list or kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        if len(value) <= _MAX_ITEMS:
            for i, item in enumerate(value):
                _note(ranges, f"{place}[{i}]", item, tensor, depth + 1)


def _record(key, outputs, values):
    """Notes the shapes of (place, value) pairs; what goes wrong here must not reach the program."""
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    if tensor is None:
        return
    try:
        if torch.jit.is_tracing():
            return
        found = {}
        for place, value in values:
            _note(found, place, value, tensor)
        if not found:
            return
        site = _recorder.site(key)
        if not _recorder.active:
            return
        ranges = site.outputs if outputs else site.inputs
        for place, shapes in found.items():
            seen = ranges.setdefault(place, shapes)
            if seen is not shapes:
                for bounds in shapes.bounds.values():
                    seen.add(tuple(low for low, _ in bounds))
                    seen.add(tuple(high for _, high in bounds))
    except Exception as error:  # pylint: disable=broad-except
        _recorder.missed(error)


def at(file, call, function):
    """`function`, which notes what goes in and comes out when it is called."""
    if not _recorder.active:
        return function

    def recorded(*args, **kwargs):
        key = (file, call)
        # Of `x.view(2)` x is an input, too.
        values = [("self", getattr(function, "__self__", None))]
        values.extend((str(i), value) for i, value in enumerate(args))
        values.extend(kwargs.items())
        _record(key, False, values)
        result = function(*args, **kwargs)
        _record(key, True, (("", result),))
        return result

    return recorded


class start:  # pylint: disable=invalid-name
    """Records only while the program loops over `iterable`; in all else it is `iterable`."""

    def __init__(self, iterable):
        self._iterable = iterable
        if not _recorder.started:
            _recorder.started = True
            _recorder.active = False
            _recorder.sites.clear()

    def __iter__(self):
        _recorder.active = True
        try:
            yield from self._iterable
        finally:
            _recorder.active = False

    def __len__(self):
        return len(self._iterable)

    def __getattr__(self, name):
        return getattr(self._iterable, name)


_recorder = Recorder(_find_root())
