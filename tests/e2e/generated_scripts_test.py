#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts that transplt generate writes compile, and do what they are for.

They run on stand-ins that record what they are asked; none has run on an NPU.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from generate_test import JSON_KINDS, KINDS, GenerateTest  # noqa: E402

PYTHON = "/usr/bin/python3"

# torch.npu, whose calls are written to calls.txt. Nothing else of torch is needed there.
STAND_IN = """
import contextlib

def note(name):
    def call(*arguments, **options):
        with open("calls.txt", "a") as file:
            file.write("%s %s %s\\n" % (name, list(arguments), options))
    return call

class Npu:
    def __getattr__(self, name):
        return note(name)

    @contextlib.contextmanager
    def profile(self, *arguments):
        note("profile")(*arguments)
        yield

npu = Npu()
"""
PTDBG = """
class PrecisionDebugger:
    def __init__(self, **options):
        print("new", options)

    def configure_hook(self, **options):
        print("hook", options)
"""


class ScriptTest(GenerateTest):
    def run_python(self, *arguments, code=0, env=None):
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **(env or {}))
        result = subprocess.run([PYTHON, *arguments], cwd=self.folder, env=environment,
                                capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def calls(self):
        path = self.folder / "calls.txt"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.split(" ", 1)[0] for line in lines]


class Scripts(ScriptTest):
    """Every script compiles, and does on stand-ins what it is for."""

    VARIANTS = {
        "ptdbg-script": [
            ["--hook-name", "overflow_check", "--overflow-nums", "-1", "--rank", "0"],
            ["--mode", "acl", "--acl-config", "dump.json", "--scope", "f_backward",
             "--backward-input", "x.npy", "--filter-switch", "ON"],
            ["--mode", "api_list", "--api-list", "relu", "--input-output-mode", "forward,input",
             "--summary-only", "--enable-dataloader"]],
        "op-select": [["--debug-level", "3", "--debug-dir", "d", "--cache-mode", "enable",
                       "--cache-dir", "c"]],
        "profiling-script": [["--api", "npu"], ["--api", "iterations"],
                             ["--api", "autograd", "--record-shapes", "--profile-memory",
                              "--simple"],
                             ["--with-stack", "--level", "Level2", "--aic-metrics", "L2Cache",
                              "--record-shapes", "--torch-version", "2.9.0"]],
        "aoe-script": [["--tune-bank-path", "/bank", "--job-type", "1"]],
        "single-op-test": [["--backward", "--arguments", '{"dim": 1, "keepdim": true}']],
        "onnx-export": [["--checkpoint", "w.pth", "--checkpoint-key", "state_dict",
                         "--strip-prefix", "module.", "--dynamic", "x:0:batch"]],
        "env": [["--DUMP_GE_GRAPH", "2", "--GLOG_v", "1"]],
    }

    def variants(self):
        for kind, options in KINDS.items():
            if kind not in (*JSON_KINDS, "rank-table"):
                for more in [[]] + self.VARIANTS.get(kind, []):
                    yield kind, options + more

    def test_compile_and_have_no_left_over_tags_or_double_blank_lines(self):
        for kind, options in self.variants():
            with self.subTest(kind=kind, options=options):
                text = self.generate(kind, *options)
                self.assertNotIn("{{", text.replace("{{}}", ""))
                self.assertNotIn("\n\n\n\n", text)
                if kind in ("env", "aoe-script", "launch"):
                    self.write("script.sh", text)
                    for check in (["bash", "-n"], ["shellcheck"]):
                        if shutil.which(check[0]):
                            subprocess.run([*check, self.folder / "script.sh"], check=True)
                else:
                    compile(text, kind, "exec")
                    self.assertNotIn("(\n\n", text)

    def test_the_debugger_is_made_once_with_what_was_asked(self):
        self.write("ptdbg_ascend.py", PTDBG)
        self.generate("ptdbg-script", "--dump-path", "./overflow_dump", "--hook-name",
                      "overflow_check", "--overflow-nums", "-1", "-o", "ptdbg_debugger.py")
        result = self.run_python("-c", "import ptdbg_debugger, ptdbg_debugger")
        self.assertEqual(result.stdout.splitlines(), [
            "new {'dump_path': './overflow_dump', 'hook_name': 'overflow_check', 'step': [0]}",
            "hook {'overflow_nums': -1}"])

    def test_options_of_operators_are_texts_and_their_folders_exist(self):
        self.write("torch.py", STAND_IN)
        self.write("torch_npu.py", "")
        self.generate("op-select", "--mode", "high_precision", "--op-type", "Pooling",
                      "--debug-level", "1", "--debug-dir", "made", "-o", "op_select.py")
        self.run_python("-c", "import op_select; print(op_select.OPTIONS)")
        self.assertEqual(self.calls(), ["set_option"])
        self.assertTrue((self.folder / "made").is_dir())
        self.assertIn("'ACL_OP_DEBUG_LEVEL': '1'", (self.folder / "calls.txt").read_text())

    LOOP = ("from calls import note\nfrom npu_profiling import StepProfiler\np = StepProfiler()\n"
            "for i in range(6):\n    with p.step():\n        note('train')()\n")

    def profile(self, *options):
        self.write("calls.py", STAND_IN)
        self.generate("profiling-script", "--path", "out", "--first", "2", "--last", "3",
                      *options, "-o", "npu_profiling.py")

    def test_iterations_are_marked_and_profiling_ends_after_the_last(self):
        # The sample of the vendor's guide waits for a step that its condition excludes.
        self.write("torch.py", STAND_IN)
        self.profile("--api", "iterations")
        self.run_python("-c", self.LOOP)
        step = ["iteration_start", "train", "iteration_end"]
        self.assertEqual(self.calls(), ["train", "train", "prof_init", "prof_start"] + step + step +
                         ["prof_stop", "prof_finalize", "train", "train"])

    def test_profiling_ends_where_a_step_fails(self):
        self.write("torch.py", STAND_IN)
        self.profile("--api", "iterations")
        self.run_python("-c", self.LOOP + "        if i == 2: raise ValueError\n", code=1)
        self.assertEqual(self.calls()[-3:], ["iteration_end", "prof_stop", "prof_finalize"])

    def test_each_step_is_profiled_by_itself(self):
        self.write("torch.py", STAND_IN)
        self.profile("--api", "npu")
        self.run_python("-c", self.LOOP)
        self.assertEqual(self.calls(), ["train", "train", "profile", "train", "profile", "train",
                                        "train", "train"])

    def test_the_profiler_of_torch_writes_a_trace_per_step(self):
        self.profile("--api", "autograd", "--record-shapes")
        # This torch has no NPU: its own profiler is asked without the option for one.
        start = ("import torch, functools\nreal = torch.autograd.profiler.profile\n"
                 "torch.autograd.profiler.profile = lambda use_npu, **o: real(**o)\n")
        self.run_python("-c", start + self.LOOP)
        for step in (2, 3):
            json.loads((self.folder / f"out/step_{step}.json").read_text())
        self.assertEqual(len(os.listdir(self.folder / "out")), 2)

    TORCH_NPU = """
from torch import note
import contextlib

class Names:
    def __getattr__(self, name):
        return name

class Profile:
    def __init__(self, **options):
        note("new")(**options)

    def __getattr__(self, name):
        return note(name)

class profiler:
    AiCMetrics = ProfilerLevel = Names()
    profile = Profile
    schedule = staticmethod(lambda **options: tuple(options.items()))
    tensorboard_trace_handler = staticmethod(lambda folder: folder)
    _ExperimentalConfig = staticmethod(lambda **options: tuple(options.items()))
"""

    def test_the_profiler_of_torch_npu_keeps_the_steps_that_were_asked_for(self):
        self.write("torch.py", STAND_IN)
        self.write("torch_npu.py", self.TORCH_NPU)
        self.profile("--with-stack", "--aic-metrics", "L2Cache")
        self.run_python("-c", self.LOOP)
        self.assertEqual(self.calls(), ["train", "train", "new", "start", "train", "step", "train",
                                        "step", "stop", "train", "train"])
        made = next(line for line in (self.folder / "calls.txt").read_text().splitlines()
                    if line.startswith("new "))
        for part in ("('active', 2)", "'with_stack': True", "'on_trace_ready': 'out'",
                     "('profiler_level', 'Level1')", "('aic_metrics', 'L2Cache')"):
            self.assertIn(part, made)

    def test_a_profiler_that_a_version_lacks_is_refused_with_the_one_that_it_has(self):
        for version, api, remedy in (("2.6.0", "npu", "torch_npu"),
                                     ("2.6.0", "iterations", "torch_npu"),
                                     ("2.1.0", "autograd", "torch_npu"),
                                     ("1.5.0", "torch_npu", "autograd")):
            result = self.run_for(2, "generate", "profiling-script", "--path", "out", "--api", api,
                                  "--torch-version", version)
            self.assertIn(f"take --api {remedy}", result.stderr.decode())
        self.run_for(0, "generate", "profiling-script", "--path", "out", "--api", "iterations",
                     "--torch-version", "1.8.1")

    def test_operators_are_listed_from_logs(self):
        line = "[INFO] ASCENDCL(1,python):2024 [x.cpp]aclopCompile::aclOp, OpType: {}, {}\"\n"
        self.write("logs/a/host.log", "noise\n" + line.format("Add", "input: (2,2)") +
                   line.format("Add", "input: (2,2)") + line.format("Cast", "to fp16"))
        self.write("logs/a/host.log.out", line.format("Sub", "no log"))
        self.write("logs/other.log", "[INFO] GE: OpType: Mul, not from ACL\n")
        self.generate("op-info-script", "--log-folder", "logs", "-o", "get.py")
        self.run_python("get.py")
        self.assertEqual((self.folder / "ascend_op_info_summary.txt").read_text(),
                         "Add input: (2,2)\nCast to fp16\n")

    def test_no_operator_in_the_logs_is_an_error(self):
        self.write("logs/a.log", "noise\n")
        self.generate("op-info-script", "-o", "get.py")
        result = self.run_python("get.py", "logs", code=1)
        self.assertIn("no operator in 1 log files", result.stderr)

    def test_one_operator_runs_on_the_cpu_and_says_that_nothing_was_compared(self):
        for options in (["--op", "torch.max", "--input", "10x20:int64"],
                        ["--op", "torch.nn.functional.relu", "--input", "4x4:float16",
                         "--backward"],
                        ["--op", "torch.sum", "--input", "4x4:float32", "--arguments",
                         '{"dim": 1, "keepdim": true}', "--backward"]):
            self.generate("single-op-test", *options, "-o", "test_op.py", "--force")
            result = self.run_python("test_op.py", "-v")
            self.assertIn("there is no NPU here: nothing was compared", result.stderr)
            self.assertIn("OK (skipped=1)", result.stderr)

    def test_a_module_is_tested_with_its_weights_and_their_gradients(self):
        self.generate("single-op-test", "--op", "torch.nn.Conv2d", "--input", "1x3x8x8:float32",
                      "--arguments", '{"in_channels": 3, "out_channels": 4, "kernel_size": 3}',
                      "--backward", "-o", "test_op.py")
        result = self.run_python("test_op.py", "-v")
        self.assertIn("OK (skipped=1)", result.stderr)
        self.assertRegex(result.stdout, r"cpu: [0-9.]+ ms per run of torch.nn.Conv2d")
        found = self.run_python("-c", "import test_op; print(len(test_op.run('cpu')))")
        self.assertEqual(found.stdout.strip(), "4",
                         "the output, and the gradients of the input and of two weights")

    def test_no_time_is_measured_where_none_is_wanted(self):
        self.generate("single-op-test", "--op", "torch.abs", "--input", "3:float32",
                      "--repeat", "0", "-o", "test_op.py")
        self.assertNotIn("ms per run", self.run_python("test_op.py").stdout)

    def test_one_operator_fails_where_a_device_computes_something_else(self):
        # The CPU plays the device, and adds one there.
        self.generate("single-op-test", "--op", "torch.abs", "--input", "3:float32",
                      "-o", "test_op.py")
        self.write("wrong.py", """
import types, torch, unittest
torch.npu = types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: None)
import test_op
real = torch.abs
to = torch.Tensor.to
class OnNpu(torch.Tensor):
    pass
torch.Tensor.to = lambda t, d, *a: to(t, *a).as_subclass(OnNpu) if d == "npu" else to(t, d, *a)
torch.abs = lambda t: real(t) + WRONG * isinstance(t, OnNpu)
unittest.main(module=test_op)
""")
        text = (self.folder / "wrong.py").read_text()
        self.write("right.py", text.replace("WRONG", "0"))
        self.write("wrong.py", text.replace("WRONG", "1"))
        self.assertIn("OK", self.run_python("right.py").stderr)
        self.assertIn("failures=1", self.run_python("wrong.py", code=1).stderr)

    def test_a_model_is_exported_with_the_weights_of_a_checkpoint(self):
        self.write("tiny.py", "import torch\n\n\nclass Tiny(torch.nn.Module):\n"
                              "    def __init__(self, size=4):\n        super().__init__()\n"
                              "        self.fc = torch.nn.Linear(size, 2)\n\n"
                              "    def forward(self, x):\n        return self.fc(x)\n")
        self.run_python("-c", "import torch, tiny\nm = tiny.Tiny()\n"
                        "s = {'module.' + k: v for k, v in m.state_dict().items()}\n"
                        "torch.save({'state_dict': s}, 'w.pth')")
        self.generate("onnx-export", "--model", "tiny:Tiny", "--model-arguments", '{"size": 4}',
                      "--input", "x:1x4", "--checkpoint", "w.pth", "--checkpoint-key",
                      "state_dict", "--strip-prefix", "module.", "--dynamic", "x:0:batch",
                      "--onnx", "tiny.onnx", "-o", "export.py")
        self.run_python("export.py")
        self.assertGreater((self.folder / "tiny.onnx").stat().st_size, 100)

    def test_tuning_stops_before_it_starts_where_something_is_missing(self):
        self.generate("aoe-script", "--model-path", "dumped", "--set-env", "env.sh",
                      "-o", "tune.sh")
        self.assertIn("dumped is missing", self.tune(2))
        os.mkdir(self.folder / "dumped")
        self.assertIn("env.sh is missing", self.tune(2))
        self.write("env.sh", "UNSET=$NOT_SET\n")
        self.assertIn("aoe is missing", self.tune(2))
        self.write("bin/aoe", "#!/bin/sh\necho \"aoe $*\" >&2\n")
        os.chmod(self.folder / "bin/aoe", 0o755)
        self.write("env.sh", "PATH=$PWD/bin:$PATH\n")
        self.assertEqual(self.tune(0), "aoe --job_type=2 --model_path=dumped\n")

    def tune(self, code):
        result = subprocess.run(["./tune.sh"], cwd=self.folder, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr


if __name__ == "__main__":
    unittest.main()
