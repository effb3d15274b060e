# SPDX-License-Identifier: Apache-2.0
"""PrecisionDebugger with the interfaces of ptdbg_ascend (dump_path, hook_name, configure_hook)
and of msprobe (config_path or task, level)."""

import errno
import json
import os

from .acl_dump import AclRecorder, OperatorDump
from .debug_save import DebugRecorder
from .msprobe_dump import MsprobeRecorder
from .ptdbg_dump import VERSION, PtdbgDump, PtdbgOverflow
from .ending import at_end, is_trouble, losses, say, write_json
from .record import Choice
from .settings import MsprobeSettings, checked_path, first_number, last_number, list_of_names, \
    make_folder, numbers, rank_of_process
from .watch import FunctionWatch, ModuleWatch
from . import _native

_MODES = ("all", "list", "range", "stack", "acl", "api_list", "api_stack")
_DIRECTIONS = ("all", "forward", "backward", "input", "output")


class _OnInstanceOrClass:
    """PrecisionDebugger.start() means the debugger that was made last, as in the manuals."""

    def __init__(self, function):
        self._function = function

    def __get__(self, instance, owner):
        target = instance if instance is not None else owner._latest
        if target is None:
            raise RuntimeError("no PrecisionDebugger has been made yet")
        return self._function.__get__(target, owner)


class _Found:
    """The overflows of this rank."""

    def __init__(self, rank):
        self.rank = rank
        self.step = 0
        self.count = 0
        self.written = 0
        self.forward, self.backward, self.stacks = {}, {}, {}

    def add(self, entries, name, entry):
        """Each step counts its calls anew: what it finds must not take the place of what an
        earlier one has found."""
        entries[f"{name}_step{self.step}" if name in entries else name] = entry

    def write(self):
        """forward_info_*.json and the others, in the current folder, if they have changed. What
        cannot be written is tried again with the next ones."""
        if self.written == self.count:
            return
        number = self.rank if self.rank is not None else os.getpid()
        is_written = True
        for name, content in (("forward_info", self.forward), ("backward_info", self.backward),
                              ("stack_info", self.stacks)):
            if content:
                is_written = write_json(f"{name}_{number}.json", content, indent=2) and is_written
        if is_written:
            self.written = self.count


class _Configuration:
    """config.json of msprobe; read again when it changes, if it says `dump_enable`."""

    def __init__(self, path, changes):
        self._path, self._changes = path, changes
        self._seen = self._signature()
        self.settings = self._read()
        self._is_watched = self.settings.dump_enable is not None

    def _signature(self):
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self):
        return MsprobeSettings.read(self._path, **self._changes)

    def changed(self):
        """The new settings, or None where nothing is new. A wrong file stops the capture, not the
        training."""
        if not self._is_watched:
            return None
        seen = self._signature()
        if seen is None or seen == self._seen:
            return None
        self._seen = seen
        enabled = self.settings.dump_enable
        try:
            settings = self._read()
            make_folder(checked_path(settings.dump_path))
            # Earlier steps of this run are in it.
            _native.check_options(settings.dump_path,
                                  **{**settings.capture_options, "allow_existing": 1})
        except (OSError, TypeError, ValueError, _native.CaptureError) as problem:
            say(f"transplt_capture: the changed configuration is wrong, nothing is captured until "
                f"it is right: {problem}")
            self.settings.dump_enable = False
            return self.settings
        if settings.dump_enable is None:
            settings.dump_enable = enabled
        say(f"transplt_capture: {self._path} has changed and was read: dump_enable is "
            f"{json.dumps(settings.dump_enable)}")
        self.settings = settings
        return settings


class PrecisionDebugger:
    _latest = None

    def __init__(self, config_path=None, *, dump_path=None, hook_name=None, rank=None, step=None,
                 enable_dataloader=False, model=None, task=None, level=None, **options):
        self._options = options.pop("capture_options", {})
        if options:
            raise TypeError(f"PrecisionDebugger: unknown argument {sorted(options)[0]!r}")
        self._configuration = None
        if isinstance(config_path, str) and config_path.endswith(".json") and hook_name is None:
            changes = {"dump_path": dump_path, "task": task, "level": level, "rank": rank,
                       "step": step}
            self._configuration = _Configuration(config_path, changes)
            self._settings = self._configuration.settings
        elif task is not None or level is not None:
            self._settings = MsprobeSettings(
                {"task": task, "level": level, "dump_path": dump_path, "rank": rank,
                 "step": step}, "PrecisionDebugger")
        else:
            # The first argument of ptdbg is dump_path.
            dump_path = dump_path or config_path
            self._settings = None
        if self._settings is not None:
            self._use(self._settings)
            self._hook_name = None
        else:
            self._check_ptdbg(hook_name, rank, step)
            self._path = checked_path(dump_path)
            self._hook_name = hook_name
            self._hook = None
        self._model = model
        self._iteration = 0
        self._has_told_of_rank = False
        self._recorder = None
        self._lost_step = None  # the disk has refused it: it is not tried again
        self._watches = []
        self._found = None
        self._owner = os.getpid()
        self.counters = {}
        if enable_dataloader:
            raise NotImplementedError("enable_dataloader=True is not supported: call start(), "
                                      "stop() and step() in the training loop")
        if self._rank_is_chosen():
            self._check_folder()
        type(self)._latest = self
        at_end(self._at_exit)

    def _check_folder(self):
        """Refuses what would refuse every step, before the training. A disk that is full now may
        have room when the step comes."""
        options = self._options if self._settings is None else self._settings.capture_options
        _native.check_options(self._folder(first_number(self._steps)), **options)
        try:
            make_folder(self._path)
        except OSError as problem:
            if problem.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            losses.lose_file(self._path, problem)

    def _use(self, settings):
        self._path = checked_path(settings.dump_path)
        self._settings = settings
        self._ranks, self._steps = settings.rank, settings.step
        if settings.without_effect:
            say(f"transplt_capture: without effect here: {', '.join(settings.without_effect)}")

    def _check_ptdbg(self, hook_name, rank, step):
        if hook_name is None:
            raise Exception("hook_name is missing: give \"dump\" or \"overflow_check\"")
        if hook_name not in ("dump", "overflow_check"):
            raise ValueError(f"hook_name: {hook_name!r} is neither \"dump\" nor "
                             "\"overflow_check\"")
        if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int) or rank < 0):
            raise ValueError(f"rank: {rank!r} is no number from 0")
        if step is not None and not isinstance(step, str) and (
                not isinstance(step, list)
                or any(isinstance(s, bool) or not isinstance(s, int) for s in step)):
            raise ValueError(f"step: {step!r} is no list of numbers, for example [0, 2]")
        self._ranks = numbers(rank, "rank")
        self._steps = numbers(step, "step")

    def configure_hook(self, mode=None, scope=None, api_list=None, filter_switch="OFF",
                       acl_config=None, backward_input=None, input_output_mode=None,
                       summary_only=False, overflow_nums=1, need_replicate=False):
        if self._settings is not None:
            raise ValueError("configure_hook belongs to hook_name; here the configuration says "
                             "what is captured")
        overflow = self._hook_name == "overflow_check"
        mode = mode or ("api" if overflow else "api_stack")
        scope, api_list = list_of_names(scope, "scope"), list_of_names(api_list, "api_list")
        if overflow and mode not in ("api", "acl"):
            raise ValueError(f"mode: {mode!r}: overflow_check takes \"api\" or \"acl\"")
        if not overflow and mode not in _MODES:
            raise ValueError(f"mode: {mode!r} is not one of {', '.join(_MODES)}")
        if filter_switch not in ("ON", "OFF"):
            raise ValueError(f"filter_switch: {filter_switch!r} is neither \"ON\" nor \"OFF\"")
        if not isinstance(overflow_nums, int) or isinstance(overflow_nums, bool) or \
                overflow_nums == 0 or overflow_nums < -1:
            raise ValueError(f"overflow_nums: {overflow_nums!r} is neither a number from 1 nor "
                             "-1 (no limit)")
        directions = list(input_output_mode or ["all"])
        for direction in directions:
            if direction not in _DIRECTIONS:
                raise ValueError(f"input_output_mode: {direction!r} is not one of "
                                 f"{', '.join(_DIRECTIONS)}")
        backward_input = [backward_input] if isinstance(backward_input, str) else \
            list(backward_input or [])
        acl = None
        if mode == "acl":
            self._check_acl(overflow, scope, acl_config, backward_input)
            acl = OperatorDump("mode \"acl\"", acl_config)
        if mode in ("list", "range") and not scope:
            raise ValueError(f"mode \"{mode}\" needs scope: names of APIs as a dump shows them")
        if mode == "range" and len(scope) != 2:
            raise ValueError("mode \"range\" needs the first and the last name in scope")
        if mode == "api_list" and not api_list:
            raise ValueError("mode \"api_list\" needs api_list, for example [\"relu\"]")
        self._hook = {"mode": mode, "scope": scope, "api_list": api_list,
                      "only_floats": filter_switch == "ON", "directions": directions,
                      "summary_only": bool(summary_only), "overflow_nums": overflow_nums,
                      "need_replicate": bool(need_replicate), "acl": acl,
                      "backward_input": backward_input}

    @staticmethod
    def _check_acl(overflow, scope, acl_config, backward_input):
        if not acl_config:
            raise ValueError("mode \"acl\" needs acl_config, the path of dump.json")
        if not overflow and len(scope) != 1:
            raise ValueError("mode \"acl\" takes exactly one name in scope, for example "
                             "[\"Functional_conv2d_1_backward\"]")
        if not overflow and "backward" in scope[0] and not backward_input:
            raise ValueError("scope names a backward call: backward_input must name its .npy file")
        if not overflow and not scope[0].endswith(("_forward", "_backward")):
            raise ValueError(f"scope: {scope[0]!r} ends neither in _forward nor in _backward")
        for path in backward_input:
            if not os.path.isfile(path):
                raise ValueError(f"backward_input: {path}: no such file")

    # The steps of the training.

    @_OnInstanceOrClass
    def start(self, model=None):
        self._look_for_changes()
        if self._settings is not None and self._settings.dump_enable is False:
            return
        last = last_number(self._steps)
        if last is not None and self._iteration > last:
            if self._settings is None:
                raise Exception("ptdbg: exit after iteration [" +
                                ", ".join(self._steps.split("|")) + "]")
            return
        if os.getpid() != self._owner or not self._is_chosen():
            return
        if not self._has_recorder():
            return
        if not self._watches:
            self._watches = self._new_watches(self._recorder)
        if model is not None or self._model is not None:
            models = model or self._model
            for one in models if isinstance(models, (list, tuple)) else [models]:
                self._recorder.names.add(one)
        if self._ranks and not self._has_told_of_rank and rank_of_process() is None:
            self._has_told_of_rank = True
            say(f"transplt_capture: rank {self._ranks} is asked for, and this process knows no rank "
                "of its own (RANK, torch.distributed): it is captured")
        self._recorder.active = True
        for watch in self._watches:
            watch.start()

    def _look_for_changes(self):
        """Between two steps: one step is captured in one way."""
        if self._configuration is None or self._recorder is not None:
            return
        settings = self._configuration.changed()
        if settings is not None:
            self._use(settings)

    @_OnInstanceOrClass
    def save(self, variable, name, save_backward=True):
        """With level "debug": the variable, and its gradient, under this name."""
        if self._settings is None or self._settings.level != "debug":
            raise ValueError("save() needs level \"debug\"")
        if not isinstance(name, str) or not name:
            raise ValueError(f"save: name: {name!r} is no name")
        if self._recorder is None:
            if self._settings.dump_enable is False or os.getpid() != self._owner or \
                    not self._is_chosen():
                return
            if not self._has_recorder():
                return
        self._recorder.save(variable, name, save_backward)

    @_OnInstanceOrClass
    def stop(self):
        if self._recorder is None:
            return
        for watch in self._watches:
            watch.stop()
        self._recorder.active = False
        self._recorder.depth.clear()
        if self._found is not None:
            self._found.write()

    @_OnInstanceOrClass
    def step(self):
        """Ends the step: what it captured becomes files."""
        try:
            self._finish()
        finally:
            self._iteration += 1
            # Where only save() is called there is no start().
            self._look_for_changes()

    def _finish(self):
        if self._recorder is None or os.getpid() != self._owner:
            return
        self.stop()
        recorder, self._recorder, self._watches = self._recorder, None, []
        self.counters = {}
        try:
            self.counters = recorder.finish(self._iteration) or {}
        except (OSError, _native.CaptureError) as trouble:
            losses.lose_step(self._iteration, trouble)
        unmatched = recorder.choice.unmatched()
        if unmatched:
            say(f"transplt_capture: step {self._iteration}: no call has one of the names that were "
                f"asked for: {unmatched}")
        if recorder.defects:
            say(f"transplt_capture: step {self._iteration}: not captured: calls that failed: "
                f"{recorder.defects}")

    def _at_exit(self):
        if os.getpid() == self._owner:
            self._finish()

    def _is_chosen(self):
        return _native.selected(self._steps, self._iteration) and self._rank_is_chosen()

    def _rank_is_chosen(self):
        rank = rank_of_process()
        return not self._ranks or rank is None or _native.selected(self._ranks, rank)

    def _folder(self, step):
        rank = rank_of_process()
        if self._settings is not None:
            name = f"rank{rank}" if rank is not None else f"proc{os.getpid()}"
            return os.path.join(self._path, f"step{step}", name)
        return os.path.join(self._path, f"ptdbg_dump_{VERSION}", f"step{step}",
                            f"rank{rank or 0}")

    def _has_recorder(self):
        """False if this step cannot be captured: that is told, and the training goes on."""
        if self._recorder is None and self._lost_step != self._iteration:
            try:
                self._recorder = self._new_recorder()
            except (OSError, _native.CaptureError) as trouble:
                if not is_trouble(trouble):
                    raise
                self._lost_step = self._iteration
                losses.lose_step(self._iteration, trouble)
        return self._recorder is not None

    def _new_recorder(self):
        folder = self._folder(self._iteration)
        if self._settings is not None and self._settings.level == "debug":
            return DebugRecorder(folder, self._settings)
        if self._settings is not None:
            return MsprobeRecorder(folder, self._settings,
                                   Choice(self._settings.scope, self._settings.names))
        if self._hook is None:
            self.configure_hook()
        hook = self._hook
        if self._hook_name == "overflow_check":
            if self._found is None:
                self._found = _Found(rank_of_process())
            self._found.step = self._iteration
            return PtdbgOverflow(folder, Choice(), self._options, hook["overflow_nums"],
                                 self._found, hook["need_replicate"], hook["acl"])
        if hook["mode"] == "acl":
            forward = hook["scope"][0].replace("_backward", "_forward")
            return AclRecorder(Choice(names=[forward]), hook["acl"], hook["scope"][0],
                               hook["backward_input"])
        names = hook["api_list"] if hook["mode"] == "api_list" else ()
        scope = hook["scope"] if hook["mode"] == "range" else ()
        if hook["mode"] in ("list", "stack"):
            names = hook["scope"]
        return PtdbgDump(folder, Choice(scope, names), self._options, hook["mode"],
                         hook["summary_only"], hook["directions"], hook["only_floats"])

    def _new_watches(self, recorder):
        level = self._settings.level if self._settings is not None else "L1"
        if level == "debug":
            return []
        watches = [ModuleWatch(recorder, only_threads=level == "L1")]
        if level != "L0":
            watches.append(FunctionWatch(recorder))
        return watches
