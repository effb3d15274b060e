#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""inject-dump-config --lint on scripts of PyTorch, MindSpore and TensorFlow."""

import sys
import unittest

sys.dont_write_bytecode = True

import program  # noqa: E402

COMMAND = "inject-dump-config"

TORCH = "import torch\nimport torch_npu\n"
PTDBG = TORCH + "from ptdbg_ascend import PrecisionDebugger\n"
MSPROBE = TORCH + "from msprobe.pytorch import PrecisionDebugger\n"
MADE = 'debugger = PrecisionDebugger("/d", hook_name="dump")\n'
CALLS = "debugger.start()\ndebugger.stop()\ndebugger.step()\n"
MINDSPORE = "import os\nfrom mindspore import context\n"
CONFIG = 'os.environ["MINDSPORE_DUMP_CONFIG"] = '
BOTH = ('import json\nimport mindspore\njson.dump({"common_dump_settings": {"path": "/d"},\n'
        '           "e2e_dump_settings": {"enable": %s},\n'
        '           "async_dump_settings": {"enable": True}}, open("/d.json", "w"))\n')

NPU = "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n"
OPTIMIZER = NPU + """config = tf.ConfigProto()
op = config.graph_options.rewrite_options.custom_optimizers.add()
op.name = "NpuOptimizer"
"""


def option(name, value):
    field = "b" if name.startswith("enable_") else "s"
    return f'op.parameter_map["{name}"].{field} = {value}\n'


def as_bytes(text):
    return f'tf.compat.as_bytes("{text}")'


SESSION = "with tf.Session(config=config) as sess:\n    sess.run(loss)\n"
DUMP = option("enable_dump", "True") + option("dump_path", as_bytes("/d"))
STEP = "step = tf.train.get_global_step()\n"
RANK = NPU + "from hccl.manage.api import get_rank_id\n"

# A script, and where and what its one mistake is.
MISTAKES = (
    (PTDBG + "for step in range(3):\n    " + MADE + "".join(f"    {line}\n" for line in
                                                             CALLS.splitlines()),
     "5:16", "the debugger is made again in each round of the loop at line 4"),
    (PTDBG + MADE + CALLS + MADE.replace("debugger", "second") + CALLS.replace("debugger", "second"),
     "8:10", "a second debugger: there is one in a process, which is that of line 4"),
    (PTDBG + MADE, "4:12", "debugger is never started: it collects nothing"),
    (PTDBG + MADE + "debugger.start()\n", "4:12", "debugger is started and never stopped"),
    (PTDBG + MADE + "debugger.start()\ndebugger.stop()\n", "4:12",
     "debugger never calls step(): everything counts as the first step"),
    (PTDBG + MADE.replace('"dump"', '"dumps"') + CALLS, "4:36",
     "hook_name is dump or overflow_check, not dumps"),
    (PTDBG + MADE.replace('"/d", ', "") + CALLS, "4:12", "dump_path is missing"),
    (PTDBG + "from apex import amp\namp.initialize(None, None)\n" +
     MADE.replace('"dump"', '"overflow_check"') + CALLS, "6:12",
     "overflow_check starts behind amp.initialize of line 5"),
    (PTDBG + MADE + 'debugger.configure_hook(mode="acl", scope=["a"])\n' + CALLS, "5:25",
     "acl_config: mode acl wants a dump.json"),
    (PTDBG + MADE + 'debugger.configure_hook(mode="acl", acl_config="/a", scope=["a", "b"])\n' +
     CALLS, "5:54", "scope: mode acl wants exactly one API here"),
    (PTDBG + MADE + 'debugger.configure_hook(mode="acl", acl_config="/a", scope=["a_backward"])\n' +
     CALLS, "5:25", "backward_input: a backward API is run again from its input"),
    (PTDBG + MADE + 'debugger.configure_hook(mode="every")\n' + CALLS, "5:25",
     'mode: cannot be "every"'),
    (PTDBG + MADE + "debugger.configure_hook(overflow_nums=3)\n" + CALLS, "5:25",
     "overflow_nums: is not used here; it goes with enable_dump_debug=true"),
    (MSPROBE + 'debugger = PrecisionDebugger(task="statistic")\n' + CALLS, "4:30",
     'task: cannot be "statistic"; did you mean "statistics"?'),
    (TORCH + 'torch.npu.set_option({"ACL_OPTYPELIST_FOR_IMPLMODE": "Pooling"})\n', "3:23",
     "ACL_OPTYPELIST_FOR_IMPLMODE: goes with ACL_OP_SELECT_IMPL_MODE"),
    (TORCH + "torch.npu.init_dump()\n", "3:1", "init_dump without finalize_dump"),
    (TORCH + 'torch.npu.prof_init("/p")\n', "3:1", "prof_init without prof_finalize"),
    (TORCH + 'torch.npu.set_aoe("/a")\nwith torch.npu.profile("/p"):\n    pass\n', "3:1",
     "the profiler must be off while operators are tuned (script.py:4: torch.npu.profile)"),
    (TORCH + 'with torch.utils.dumper(use_load=True, dump_path="/d"):\n    pass\n', "3:6",
     "use_load needs load_file_path"),
    (TORCH + 'with torch.utils.dumper(use_dump=True, use_load=True, load_file_path="/l"):\n'
     "    pass\n", "3:6", "use_dump and use_load exclude each other"),
    (TORCH + 'with torch.utils.dumper(check_overflow=True, dump_path="/d", load_file_path="/l",\n'
     "                        load_with_acl_dump=True):\n    pass\n", "4:25",
     "load_with_acl_dump and enable_dump_debug exclude each other"),
    (MINDSPORE + CONFIG + '"/d.json"\n', "3:1",
     "MINDSPORE_DUMP_CONFIG has no effect once the script runs: start it with `transplt generate "
     "launch --dump-config /d.json`"),
    ("import os\n" + CONFIG + '"/d.json"\nimport mindspore\n', "2:1",
     "MINDSPORE_DUMP_CONFIG has no effect once the script runs"),
    (MINDSPORE + 'os.environ["GLOG_v"] = "1"\n', "3:1",
     "GLOG_v is set after mindspore was loaded at line 2"),
    ('import os\nos.environ["GLOG_logtostderr"] = "0"\nimport mindspore\n', "2:1",
     "GLOG_log_dir: GLOG_logtostderr=0 wants the folder of the log files"),
    ('import os\nos.environ["MS_SUBMODULE_LOG_v"] = "{PARSR:2}"\nimport mindspore\n', "2:1",
     'MS_SUBMODULE_LOG_v: is "{PARSR:2}"; write submodules with levels 0 to 3'),
    (BOTH % "True", "5:46", "enable: the synchronous and the asynchronous dump exclude each other"),
    (BOTH.replace('"/d"}', '"d", "input_output": 0}') % "False", "3:45",
     'path: is "d"; write an absolute path, starting with "/"'),
    (BOTH.replace('"/d"}', '"/d", "iteration": "0|8-5"}') % "False", "3:64",
     "iteration: has a range that runs backwards"),
    (BOTH.replace('"/d"}', '"/d", "support_device": [0, 9]}') % "False", "3:73",
     "support_device: is 9; the largest value is 7"),
    (MINDSPORE + 'context.set_context(save_graphs="yes")\n', "3:21",
     "save_graphs is true or false, not yes"),
    (OPTIMIZER + option("dump_step", as_bytes("0|5")) + SESSION, "6:1",
     "dump_step is read only where enable_dump is on, and nothing switches it on"),
    (OPTIMIZER + option("dump_debug_mode", as_bytes("all")) + SESSION, "6:1",
     "dump_debug_mode is read only where enable_dump_debug is on"),
    (OPTIMIZER + option("enable_dump", "True") + option("dump_path", '"/d"') + SESSION, "7:1",
     'dump_path takes bytes, and Python 3 refuses text here: write tf.compat.as_bytes("/d")'),
    (OPTIMIZER + option("enable_dump", "True") + option("dump_path", as_bytes("~/d")) + SESSION,
     "7:1", "dump_path: nobody expands ~ in the script"),
    (OPTIMIZER + option("enable_dump", "True") + option("dump_path", as_bytes("")) + SESSION,
     "7:1", "dump_path is empty"),
    (OPTIMIZER + DUMP + STEP + SESSION + "    sess.run(step)\n", "11:5",
     "this run computes nothing that training needs"),
    (OPTIMIZER + DUMP + STEP + SESSION + "    step.eval(session=sess)\n", "11:5",
     "this run computes nothing that training needs"),
    (OPTIMIZER + DUMP + STEP + SESSION + "    tf.train.global_step(sess, step)\n", "11:5",
     "this run computes nothing that training needs"),
    (NPU + "c = DumpConfig(enable_dump=True, dump_path=None)\n", "3:16",
     "enable_dump needs dump_path"),
    (NPU + 'c = DumpConfig(True, "/d", "0,5")\n', "3:28",
     'dump_step is made of steps and ranges without blanks, as in 0|3-5|10; "0,5" is neither'),
    (NPU + 'c = ProfilingConfig(enable_profiling=True, profiling_options="traing_trace")\n', "3:44",
     'there is no "traing_trace"; did you mean "training_trace"?'),
    (NPU + 'c = ProfilingConfig(enable_profilling=True)\n', "3:21",
     "no option is called enable_profilling: it is ignored; did you mean enable_profiling?"),
    (RANK + "def main():\n    rank = get_rank_id()\n    with tf.Session() as sess:\n"
     "        sess.run(loss)\n", "5:12",
     "get_rank_id is called before initialize_system has run"),
)

# Scripts with several mistakes of one object.
SEVERAL = (
    (NPU + "c = DumpConfig(enable_dump=True, enable_dump_debug=True)\n",
     ("enable_dump needs dump_path", "enable_dump_debug needs dump_path",
      "enable_dump and enable_dump_debug exclude each other")),
    (OPTIMIZER + option("enable_dump", "True") + option("fp_point", as_bytes("a")) + SESSION,
     ("enable_dump needs dump_path", "fp_point needs profiling_options")),
)

# What others have written rightly.
RIGHT = (
    PTDBG + MADE + CALLS,
    PTDBG + 'debugger = PrecisionDebugger("/d", "overflow_check")\n'
    "debugger.configure_hook(overflow_nums=-1)\n"
    "from apex import amp\namp.initialize(None, None)\nfor step in range(3):\n"
    "    debugger.start()\n    debugger.stop()\n    debugger.step()\n",
    PTDBG + "class Trainer:\n    def __init__(self, path):\n"
    '        self.debugger = PrecisionDebugger(path, hook_name="dump")\n',
    PTDBG + MADE + "def train(debugger):\n    pass\ntrain(debugger)\n",
    PTDBG + "PrecisionDebugger.start()\n",
    MSPROBE + 'debugger = PrecisionDebugger(config_path="./config.json")\n' + CALLS,
    "class PrecisionDebugger:\n    pass\nfor i in range(3):\n    PrecisionDebugger()\n",
    TORCH + 'torch.npu.prof_init("/p")\ntorch.npu.prof_start()\ntorch.npu.prof_stop()\n'
    "torch.npu.prof_finalize()\n",
    TORCH + 'torch.npu.set_option({"NPU_FUZZY_COMPILE_BLACKLIST": "a"})\n',
    MINDSPORE + 'context.set_context(mode=0, save_graphs=2, save_graphs_path="/g")\n',
    MINDSPORE + 'context.set_context(save_graphs_path="/g")\n',
    BOTH % "False",
    OPTIMIZER + DUMP + option("dump_step", as_bytes("0|5")) + SESSION,
    OPTIMIZER + option("enable_dump", "False") + option("dump_step", as_bytes("0|5")) + SESSION,
    OPTIMIZER + option("enable_dump", "FLAGS.dump") + option("dump_path", 'b"/d"') + SESSION,
    OPTIMIZER + option("enable_dump", "True") + option("dump_path", "path") + SESSION,
    # Nobody reads it, and it does no harm.
    OPTIMIZER + option("dump_debug_mode", as_bytes("all")) + DUMP + SESSION,
    OPTIMIZER + option("op_select_implmode", as_bytes("high_precision")) +
    option("optypelist_for_implmode", as_bytes("UnsortedSegmentSum,GatherV2")) + SESSION,
    # Nothing is dumped, so that these runs do no harm.
    OPTIMIZER + STEP + SESSION + "    sess.run(step)\n",
    NPU + 'c = DumpConfig(True, "/d", "0|5", "all")\n',
    NPU + 'c = ProfilingConfig(True, "task_trace")\n',
    RANK + "npu_init = npu_ops.initialize_system()\nwith tf.Session() as sess:\n"
    "    sess.run(npu_init)\n    rank = get_rank_id()\n",
    # Who calls it, and when, is not known.
    RANK + "def shard(data):\n    return data[get_rank_id()]\n",
    RANK + "with tf.Session() as sess:\n    sess.run(loss)\n    rank = get_rank_id()\n",
)


class InjectLintTest(program.ProgramTest):
    def lint(self, code, text):
        script = self.write("script.py", text)
        framework = ("tensorflow" if "tensorflow" in text else
                     "pytorch" if "torch" in text or "Precision" in text else "mindspore")
        result = self.run_for(code, COMMAND, script, "--lint", "--framework", framework)
        self.assertEqual(script.read_text(), text)
        return result.stderr.decode("utf-8")

    def test_each_mistake_is_reported_where_it_is_and_nothing_else(self):
        for text, place, message in MISTAKES:
            with self.subTest(message):
                lines = [line for line in self.lint(1, text).splitlines() if ": lint-" in line]
                self.assertEqual(len(lines), 1, lines)
                self.assertTrue(lines[0].startswith(f"script.py:{place}: "), lines[0])
                self.assertIn(message, lines[0])

    def test_all_mistakes_of_one_object_are_reported(self):
        for text, messages in SEVERAL:
            with self.subTest(messages):
                lines = [line for line in self.lint(1, text).splitlines() if ": lint-" in line]
                self.assertEqual(len(lines), len(messages), lines)
                for message in messages:
                    self.assertTrue(any(message in line for line in lines), message)

    def test_what_is_right_is_not_reported(self):
        for text in RIGHT:
            with self.subTest(text):
                self.assertNotIn(": lint-", self.lint(0, text))

    def test_what_was_injected_has_no_mistake(self):
        loop = "import torch\nfor x in range(2):\n    loss = x\n    loss.backward()\n"
        script = self.write("train.py", loop)
        for tool in (["msprobe"], ["ptdbg"], ["prof", "--set", "profiler_result_path=/p", "--set",
                                              "start_step=1", "--set", "stop_step=2"]):
            path = [] if tool[0] == "prof" else ["--dump-path", "/d"]
            self.run_for(0, COMMAND, script, "--in-place", *path, "--tool", *tool)
            self.run_for(0, COMMAND, script, "--lint", "--framework", "pytorch")
            self.run_for(0, COMMAND, script, "--in-place", "--remove")


if __name__ == "__main__":
    unittest.main()
