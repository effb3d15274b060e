# SPDX-License-Identifier: Apache-2.0
"""What the disk has cost the captures of a process. Each kind of trouble is told when it is met
first. The rest is counted, and summed up when the process ends."""

import errno
import os
import threading

_COUNTED = ("stats_only", "dropped", "full", "lost_in_files", "texts_lost", "lost_bytes")
_MOST_RANGES = 8
_MOST_NAMES = 3


class _Steps:
    """Numbers of steps as ranges: a training can have millions."""

    def __init__(self):
        self._ranges = []

    def add(self, step):
        for known in self._ranges[-2:]:
            if known[0] <= step <= known[1] + 1:
                known[1] = max(known[1], step)
                return
        self._ranges.append([step, step])

    def __bool__(self):
        return bool(self._ranges)

    def __str__(self):
        shown = ", ".join(str(first) if first == last else f"{first}-{last}"
                          for first, last in self._ranges[:_MOST_RANGES])
        return shown + (", ..." if len(self._ranges) > _MOST_RANGES else "")


class _Cause:
    """The name of an errno, or of what else it was; what that means; what was refused."""

    def __init__(self, name, meaning, text=None):
        self.name, self.meaning, self.text = name, meaning, text or meaning


def _cause_of(trouble):
    number = getattr(trouble, "errno", None)
    arguments = getattr(trouble, "args", ())
    text = str(arguments[1]) if len(arguments) > 1 else str(trouble)
    if getattr(trouble, "filename", None):
        text = f"{trouble.filename}: {text}"
    if number:
        return _Cause(errno.errorcode.get(number, str(number)), os.strerror(number), text)
    return _Cause(type(trouble).__name__, text)


def _cause(lost, number, trouble):
    """Why a step has lost something, by its counters and the exception that ended it."""
    if trouble is not None:
        return _cause_of(trouble)
    if number:
        return _Cause(errno.errorcode.get(number, str(number)), os.strerror(number))
    if lost["stats_only"] or lost["dropped"]:
        return _Cause("SLOW", "the disk is slower than the training")
    if lost["full"]:
        return _Cause("LIMIT", "max_payload_bytes is reached")
    if lost["lost_in_files"]:
        return _Cause("NAME", "a file of the name is there already")
    return _Cause("LONG", "a text is longer than the log takes")


def _size(count):
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return ""


def _listed(names):
    shown = ", ".join(list(names)[:_MOST_NAMES])
    return shown + (", ..." if len(names) > _MOST_NAMES else "")


class Losses:
    """Of one process: a forked one begins with none."""

    def __init__(self, say, at_end):
        self._say, self._at_end = say, at_end
        self._begin()
        self._will_tell()
        # A forked process has none of the threads, of which one may hold the lock.
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self):
        self._lock = threading.Lock()
        self._is_registered = False
        self._forget()

    def _forget(self):
        self._whole, self._partly = _Steps(), _Steps()
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._files = {}    # name: how often
        self._reasons = {}  # name of the errno: [times, meaning]
        self._logs = {}     # folder of a capture whose log is not empty: nothing
        self._seen = {}     # id of an open capture: its counters when last seen

    def lose_step(self, step, trouble):
        """Nothing of the step is captured."""
        with self._lock:
            self._will_tell()
            self._whole.add(step)
            self._meet(f"step {step}", f"第 {step} 步", _cause_of(trouble))

    def lose_part(self, step, capture, counters, trouble):
        """What the counters of the capture say beyond those of its step before. `trouble` is what
        the end of the step has met; it has cost nothing if nothing is counted."""
        with self._lock:
            self._will_tell()
            before = self._seen.get(id(capture), {})
            self._seen[id(capture)] = counters
            lost = {name: counters[name] - before.get(name, 0) for name in _COUNTED}
            if not any(lost.values()):
                return
            self._partly.add(step)
            for name, count in lost.items():
                self._counts[name] += count
            self._meet(f"step {step}", f"第 {step} 步", _cause(lost, counters["error"], trouble))

    def end_capture(self, capture):
        with self._lock:
            self._seen.pop(id(capture), None)

    def lose_file(self, name, trouble):
        with self._lock:
            self._will_tell()
            self._files[name] = self._files.get(name, 0) + 1
            self._meet(name, name, _cause_of(trouble))

    def keep_log(self, folder):
        """The folder has a log of which transplt_capture.recover() makes files."""
        with self._lock:
            self._will_tell()
            self._logs[folder] = None

    def forget_log(self, folder):
        """Files have been made of it."""
        with self._lock:
            self._logs.pop(folder, None)

    def tell(self):
        """At the end of the process. Says nothing if nothing was lost."""
        with self._lock:
            if not (self._reasons or self._partly or self._logs):
                return
            self._say("transplt_capture: the training has ended. Not captured: " + self._english(),
                      "transplt_capture: 训练已结束。未采集: " + self._chinese())
            self._forget()

    def _will_tell(self):
        """What a forked process inherits may not be called at its end."""
        if not self._is_registered:
            self._is_registered = True
            self._at_end(self.tell)

    def _meet(self, where, where_chinese, cause):
        reason = self._reasons.setdefault(cause.name, [0, cause.meaning])
        reason[0] += 1
        if reason[0] > 1:
            return
        self._say(f"transplt_capture: {where}: {cause.name}: {cause.text}. The training goes on. "
                  "What is not captured is counted, and told when the training ends",
                  f"transplt_capture: {where_chinese}: {cause.name}: {cause.text}。训练继续进行。"
                  "未采集的数据会计数, 并在训练结束时报告")

    def _english(self):
        count = self._counts
        slow = count["stats_only"] + count["dropped"]
        tensors = count["full"] + count["lost_in_files"] + slow
        of_steps, parts = [], []
        if self._whole:
            parts.append(f"all of the steps {self._whole}")
        if tensors:
            of_steps.append(f"{tensors} tensors ({_size(count['lost_bytes'])})")
        if count["texts_lost"]:
            of_steps.append(f"{count['texts_lost']} entries of dump.json and the other text files")
        if of_steps:
            parts.append(f"of the steps {self._partly}: {' and '.join(of_steps)}")
        if slow:
            parts.append(f"{slow} of these tensors because the disk was too slow")
        if self._files:
            parts.append(f"files ({len(self._files)}): {_listed(self._files)}")
        if self._logs:
            parts.append("in the log only, of which transplt_capture.recover(FOLDER) makes files "
                         f"once there is room: {_listed(self._logs)}")
        return "; ".join(parts) + ". " + self._why("Why", "times")

    def _chinese(self):
        count = self._counts
        slow = count["stats_only"] + count["dropped"]
        tensors = count["full"] + count["lost_in_files"] + slow
        of_steps, parts = [], []
        if self._whole:
            parts.append(f"第 {self._whole} 步的全部数据")
        if tensors:
            of_steps.append(f"{tensors} 个张量 ({_size(count['lost_bytes'])})")
        if count["texts_lost"]:
            of_steps.append(f"dump.json 等文本文件的 {count['texts_lost']} 个条目")
        if of_steps:
            parts.append(f"第 {self._partly} 步的{'和'.join(of_steps)}")
        if slow:
            parts.append(f"其中 {slow} 个张量因磁盘太慢")
        if self._files:
            parts.append(f"{len(self._files)} 个文件: {_listed(self._files)}")
        if self._logs:
            parts.append("仅在日志中, 有空间后用 transplt_capture.recover(FOLDER) 生成文件: " +
                         _listed(self._logs))
        return "; ".join(parts) + "。" + self._why("原因", "次")

    def _why(self, word, times):
        return f"{word}: " + "; ".join(f"{name} ({meaning}), {count} {times}"
                                       for name, (count, meaning) in self._reasons.items()) \
            if self._reasons else ""
