#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""inject-dump-config from outside: what it refuses, where it writes, what it says."""

import json
import sys
import unittest

sys.dont_write_bytecode = True

import program  # noqa: E402

COMMAND = "inject-dump-config"
SCRIPT = """import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
    sess.run(tf.constant(1))
"""
NO_SITE = "import tensorflow as tf\nprint(tf.__version__)\n"

# The session that runs initialize_system, and no other.
INITIALIZING = """import tensorflow as tf
from npu_bridge.npu_init import *
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
sess = tf.Session(config=config)
sess.run(npu_ops.initialize_system())
"""

# Options, and what the refusal must say, in both languages.
REFUSED = (
    (["--framework", "pytorch", "--tool", "prof", "--rank", "0"],
     "--rank 0: --tool prof cannot be kept to some ranks; those that can: msprobe, ptdbg, capture",
     "--tool prof 不能只用于部分 rank"),
    (["--framework", "mindspore", "--tool", "callbacks", "--rank", "1"],
     "--tool callbacks cannot be kept to some ranks; a dump names its devices in its file",
     "dump 的设备在其配置文件中指定"),
    (["--framework", "mindspore", "--tool", "dump", "--set", "dump_config=/d.json", "--rank", "0,7"],
     "transplt generate mindspore-dump --support-device 0,7", "--support-device 0,7"),
    (["--framework", "pytorch", "--dump-path", "/d", "--replace"],
     "--replace: is for scripts of tensorflow, not of pytorch", "不用于 pytorch"),
    (["--framework", "pytorch", "--dump-path", "/d", "--make-folder"],
     "--make-folder: is for scripts of tensorflow", "仅用于 tensorflow"),
    (["--framework", "mindspore", "--initialize-system"],
     "--initialize-system: is for scripts of tensorflow, not of mindspore", "不用于 mindspore"),
    (["--set", "enable_dmp=true"], 'called enable_dmp; did you mean "enable_dump"?',
     'enable_dmp 的选项；您是否想写 "enable_dump"？'),
    (["--set", "qqq=1"], "--set qqq=1: no option of tensorflow is called qqq; "
     "`transplt inject-dump-config --options --framework tensorflow` lists them",
     "没有名为 qqq 的选项；`transplt inject-dump-config --options --framework tensorflow` 列出"),
    (["--framework", "mindspore", "--tool", "callbacks", "--dump-path", "/d"],
     "--dump-path /d: no option of mindspore is called dump_path; `transplt inject-dump-config "
     "--options --framework mindspore` lists them", "列出所有选项"),
    (["--set", "dump_path"], "--set dump_path: give NAME=VALUE", "请写成 NAME=VALUE"),
    (["--set", "enable_dump=true"], "enable_dump: enable_dump needs dump_path: add --set dump_path",
     "enable_dump 需要 dump_path"),
    (["--overflow"], "enable_dump_debug needs dump_path", "enable_dump_debug 需要 dump_path"),
    (["--set", "enable_dump=yes", "--dump-path", "/d"], "enable_dump is true or false, not yes",
     "只能是 true 或 false"),
    (["--set", "op_debug_level=5"], "op_debug_level is a whole number from 0 to 4; not 5",
     "op_debug_level 是 0 到 4 的整数"),
    (["--set", "op_debug_level=one"], "op_debug_level is a whole number from 0 to 4; not one",
     "不能是 one"),
    (["--set", "enable_exception_dump=3"], "enable_exception_dump is a whole number from 0 to 2",
     "enable_exception_dump 是 0 到 2 的整数"),
    (["--set", "graph_run_mode=2"], "graph_run_mode is a whole number from 0 to 1",
     "graph_run_mode 是 0 到 1 的整数"),
    (["--set", "iterations_per_loop=0"], "iterations_per_loop is a whole number from 1; not 0",
     "iterations_per_loop 是不小于 1 的整数"),
    (["--dump-path", "/d", "--dump-mode", "both"],
     "--dump-mode both: dump_mode is one of input, output, all; not both", "dump_mode 只能是"),
    (["--set", "precision_mode=fp16"], "precision_mode is one of force_fp32", "不能是 fp16"),
    (["--set", "jit_compile=True"], "jit_compile is one of true, false, auto; not True",
     "jit_compile 只能是 true, false, auto"),
    (["--dump-path", "/d", "--dump-step", "0||5"], '"" is neither', '"" 两者都不是'),
    (["--dump-path", "/d", "--dump-step", "0 |5"], '"0 " is neither', '"0 " 两者都不是'),
    (["--dump-path", "/d", "--dump-step", "5-3"], "the range 5-3 must go upwards", "范围 5-3 必须递增"),
    (["--dump-path", "/d", "--dump-step", "3-3"], "the range 3-3 must go upwards", "范围 3-3 必须递增"),
    (["--dump-path", "/d", "--dump-step", "-1"], '"-1" is neither', '"-1" 两者都不是'),
    (["--dump-path", "/d", "--dump-step", "|".join(map(str, range(101)))],
     "dump_step has 101 parts; 100 are allowed", "dump_step 有 101 项"),
    (["--dump-path", "/d", "--dump-layer", "a  b"], "dump_layer: a part is empty",
     "dump_layer: 有一项为空"),
    (["--set", "enable_dump=true", "--overflow", "--dump-path", "/d"],
     "enable_dump and enable_dump_debug exclude each other", "enable_dump 与 enable_dump_debug 互斥"),
    (["--overflow", "--dump-path", "/d", "--dump-step", "1"],
     "dump_step has no meaning with enable_dump_debug", "dump_step 与 enable_dump_debug 同用无意义"),
    (["--dump-path", "/d", "--dump-debug-mode", "all"],
     "dump_debug_mode has no meaning with enable_dump", "dump_debug_mode 与 enable_dump 同用无意义"),
    (["--profiling-options", "op_trace:task_trace"],
     "op_trace cannot be collected together with training_trace or task_trace",
     "op_trace 不能与 training_trace 或 task_trace 同时采集"),
    (["--profiling-options", "traing_trace:task_trace"],
     'there is no "traing_trace"; did you mean "training_trace"?', '没有 "traing_trace"'),
    (["--profiling-options", "training_trace"], "training_trace needs fp_point and bp_point",
     "training_trace 需要 fp_point 与 bp_point"),
    (["--profiling-options", '{"training_trace":"on"}'],
     "training_trace needs fp_point and bp_point", "training_trace 需要 fp_point 与 bp_point"),
    (["--profiling-options", '{"task_trac":"on"}'], 'there is no "task_trac"', '没有 "task_trac"'),
    (["--profiling-options", '{"aicpu":"yes"}'], 'aicpu is "on" or "off", not "yes"',
     'aicpu 只能是 "on" 或 "off"'),
    (["--profiling-options", '{"aicpu":true}'], "aicpu must be a string", "aicpu 必须是字符串"),
    (["--profiling-options", '{"aicpu":"on"'], 'or a "}" is missing', "}"),
    (["--fp-point", "a"], "fp_point needs profiling_options", "fp_point 需要 profiling_options"),
    (["--set", "optypelist_for_implmode=Pooling"],
     "optypelist_for_implmode needs op_select_implmode",
     "optypelist_for_implmode 需要 op_select_implmode"),
    (["--set", "precision_mode=force_fp32", "--set", "precision_mode_v2=origin"],
     "precision_mode and precision_mode_v2 exclude each other",
     "precision_mode 与 precision_mode_v2 互斥"),
    (["--set", "modify_mixlist=/a.json"], "modify_mixlist needs precision_mode=allow_mix_precision",
     "modify_mixlist 需要 precision_mode"),
    (["--set", "op_debug_level=2", "--set", "op_debug_config=oom"],
     "op_debug_level 2 and op_debug_config oom exclude each other", "互斥"),
    (["--set", "enable_compress_weight=true", "--set", "compress_weight_conf=/a"],
     "enable_compress_weight and compress_weight_conf exclude each other", "互斥"),
    (["--set", "input_shape=a:1"], "input_shape needs dynamic_node_type",
     "input_shape 需要 dynamic_node_type"),
    (["--dump-path", "/a", "--set", "dump_path=/b"], "dump_path is given twice, as /a and as /b",
     "dump_path 给出了两次"),
    (["--dump-path", "/a", "--rank", "0,x"], "--rank: give numbers from 0", "--rank: 请给出"),
    (["--dump-path", "/a", "--rank", "0,"], "--rank: give numbers from 0", "--rank: 请给出"),
    ([], "nothing to inject: give --dump-path, --overflow, --profiling or --set NAME=VALUE; "
     "inject-dump-config --options --framework tensorflow lists the names", "没有要注入的内容"),
    (["--dump-path", "", "--dump-mode", "all"], '--dump-path "": dump_path is empty', "dump_path 为空"),
    (["--dump-path", "/d", "--rank", ""], "--rank: give numbers from 0", "--rank: 请给出"),
    (["--dump-path", "~/d"],
     "--dump-path ~/d: dump_path: nobody expands ~ in the script: write the path in full",
     "脚本中 ~ 不会展开: 请写出完整路径"),
    (["--dump-path", "/data/$USER/d"], "nobody expands $USER in the script", "$USER 不会展开"),
    (["--dump-path", "${HOME}/d"], "nobody expands ${HOME} in the script", "${HOME} 不会展开"),
    (["--dump-path", "/d", "--dump-layer", "a,b"],
     'dump_layer: "a,b" is no name of an operator: separate names by blanks', "以空格分隔多个名称"),
    (["--dump-path", "/d", "--dump-layer", "conv:0"],
     'dump_layer: "conv:0" is a tensor of the operator conv: write conv', "请写 conv"),
    (["--profiling-options", "training_trace", "--fp-point", "loss:0", "--bp-point", "b"],
     'fp_point: "loss:0" is a tensor of the operator loss: write loss', "请写 loss"),
    (["--profiling-options", "training_trace", "--fp-point", "a b", "--bp-point", "b"],
     'fp_point: "a b" is no name of an operator', "不是算子名"),
)


# The same for the other frameworks.
REFUSED_ELSEWHERE = (
    (["--framework", "pytorch", "--tool", "ptdgb"], 'did you mean "ptdbg"?', "没有该工具"),
    (["--tool", "msprobe", "--dump-path", "/d", "--dump-mode", "all"],
     "dump_mode is an option of --tool ptdbg, not of msprobe", "dump_mode 是 --tool ptdbg 的选项"),
    (["--tool", "msprobe", "--dump-path", "/d", "--overflow"],
     "enable_dump_debug is an option of --tool ptdbg", "enable_dump_debug 是 --tool ptdbg 的选项"),
    (["--tool", "ptdbg"], "ptdbg needs dump_path", "ptdbg 需要 dump_path"),
    (["--tool", "ptdbg", "--dump-path", "/d", "--set", "mode=acl"],
     "acl_config: mode acl wants a dump.json", "mode 为 acl 时须提供 dump.json"),
    (["--tool", "ptdbg", "--dump-path", "/d", "--set", "mode=acl", "--set", "acl_config=a",
      "--set", "scope=a,b"], "scope: mode acl wants exactly one API here", "须指定且仅指定一个 API"),
    (["--tool", "ptdbg", "--dump-path", "/d", "--set", "mode=acl", "--set", "acl_config=a",
      "--set", "scope=a_backward"], "backward_input: a backward API is run again from its input",
     "反向 API 需用其输入重新执行"),
    (["--tool", "ptdbg", "--dump-path", "/d", "--overflow", "--set", "mode=list"],
     "mode: belongs to dump; overflow_check wants api or acl", "属于 dump"),
    (["--tool", "capture", "--dump-path", "/d", "--overflow", "--set", "scope=a"],
     "scope: is not used here; it goes with enable_dump_debug=false", "enable_dump_debug=false"),
    (["--tool", "ptdbg", "--dump-path", "/d d"],
     'dump_path: is "/d d"; write a path of letters, digits and _ . / -', "仅含字母"),
    (["--tool", "msprobe", "--set", "task=structure", "--set", "level=L2"],
     "level: the structure of a model has no kernels", "模型结构不含 kernel"),
    (["--tool", "prof", "--set", "profiler_result_path=/p", "--set", "start_step=5", "--set",
      "stop_step=2"], "start_step 5 comes after stop_step 2", "start_step 5 晚于 stop_step 2"),
    (["--tool", "prof", "--torch-version", "2.6", "--set", "profiler_result_path=/p", "--set",
      "start_step=1", "--set", "stop_step=2"],
     "--tool prof: torch.npu.profile and torch.npu.prof_init are gone from torch_npu 6.0.rc1 on, so "
     "this torch has none with them: take --tool torch-npu-profiler",
     "请使用 --tool torch-npu-profiler"),
    (["--tool", "npu-profile", "--torch-version", "2.2.0", "--set", "profiler_result_path=/p"],
     "--tool npu-profile: torch.npu.profile and torch.npu.prof_init are gone",
     "请使用 --tool torch-npu-profiler"),
    (["--tool", "autograd-profile", "--torch-version", "2.1", "--set", "output_path=/p"],
     "--tool autograd-profile: torch.autograd.profiler takes use_npu up to torch 1.11 only: take "
     "--tool torch-npu-profiler", "请使用 --tool torch-npu-profiler"),
    (["--tool", "torch-npu-profiler", "--torch-version", "1.5", "--set", "profiler_result_path=/p"],
     "for torch 1.8.1 and 1.11: take --tool autograd-profile", "请使用 --tool autograd-profile"),
    (["--tool", "prof", "--torch-version", "two", "--set", "profiler_result_path=/p", "--set",
      "start_step=1", "--set", "stop_step=2"], "a version such as 2.1.0", "如 2.1.0 的版本号"),
    (["--tool", "msprobe", "--torch-version", "two", "--dump-path", "/d"],
     "torch_version is a version such as 2.1.0; not two", "如 2.1.0 的版本号"),
    (["--framework", "pytorch", "--profiling"],
     "--profiling: is not for pytorch: take --tool torch-npu-profiler",
     "请使用 --tool torch-npu-profiler"),
    (["--framework", "mindspore", "--profiling"],
     "no option of mindspore is called profiling_mode", "没有名为 profiling_mode 的选项"),
    (["--tool", "set-option", "--set", "ACL_OPTYPELIST_FOR_IMPLMODE=Pooling"],
     "ACL_OPTYPELIST_FOR_IMPLMODE: goes with ACL_OP_SELECT_IMPL_MODE",
     "须与 ACL_OP_SELECT_IMPL_MODE一起使用"),
    (["--tool", "module-hooks", "--set", "model=2x"], "model is the name of a variable; not 2x",
     "model 须为变量名"),
    (["--tool", "dump", "--set", "dump_config=a.json"],
     "dump_config must be an absolute path; not a.json", "dump_config 必须是绝对路径"),
    (["--tool", "dump", "--set", "dump_config=/a", "--set", "iteration=0|5-8"],
     "iteration is no option of --tool dump: it belongs into the file that `transplt generate "
     "mindspore-dump` writes", "应写入由 `transplt generate mindspore-dump` 生成的文件"),
    (["--tool", "log", "--set", "GLOG_logtostderr=0"],
     "GLOG_log_dir: GLOG_logtostderr=0 wants the folder of the log files", "GLOG_log_dir"),
    (["--tool", "log", "--set", "MS_SUBMODULE_LOG_v={PARSR:2}"],
     'is "{PARSR:2}"; write submodules with levels 0 to 3', '"{PARSR:2}"'),
    (["--tool", "log", "--set", "MS_SUBMODULE_LOG_v={PARSER:9}"],
     'is "{PARSER:9}"; write submodules with levels 0 to 3', '"{PARSER:9}"'),
    (["--tool", "msprobe", "--set", "taks=tensor"], 'did you mean "task"?', "task"),
    (["--tool", "msprobe", "--set", "summary_mode=md5"],
     "summary_mode is no option of --tool msprobe: it belongs into the file that `transplt generate "
     "msprobe-config` writes", "应写入由"),
    (["--tool", "metrics"],
     "nothing to inject: give --set with one of metrics, custom_metric", "请用 --set 给出其中之一"),
    (["--tool", "metrics", "--set", "metrics=acuracy"],
     'there is no "acuracy"; did you mean "accuracy"?', '没有 "acuracy"'),
)


# Options that are right, and what is said about them; then options about which nothing is said.
MINDSPORE_LOG = ["--framework", "mindspore", "--tool", "log"]
NOTES = (
    (["--dump-path", "/d"], ("enable_dump: every step is dumped", "dump_path: the folder must exist"),
     "enable_dump: 每个迭代都会采集"),
    (["--dump-path", "/d", "--make-folder", "--dump-step", "0"], (), ""),
    (["--overflow", "--dump-path", "/d", "--make-folder"], (), ""),
    (["--set", "op_debug_level=1"], ("op_debug_level: training is slower with it",),
     "op_debug_level: 会降低训练性能"),
    (["--set", "op_debug_level=2"], ("op_debug_level: training is slower with it",), "建议配置为 0 或 3"),
    (["--set", "op_debug_level=3"], (), ""),
    (["--set", "graph_run_mode=0"], ("graph_run_mode: 0 is for inference",), "训练须配置为 1"),
    (["--set", "graph_run_mode=1"], (), ""),
    (["--profiling"], ("profiling_mode: what is profiled is not said",), "请加上 --profiling-options"),
    (["--profiling-options", "task_trace"],
     ("profiling_options: task_trace collects training_trace, too",), "需要 fp_point 与 bp_point"),
    (["--profiling-options", "task_trace", "--fp-point", "a", "--bp-point", "b"], (), ""),
    (["--profiling-options", "op_trace"],
     ("profiling_options: op_trace is for a network of one operator",), "构造单算子网络"),
    (["--set", "op_select_implmode=high_precision", "--set", "optypelist_for_implmode=Pooling,LRN"],
     ("optypelist_for_implmode: initialize_system knows Pooling only",), "仅支持 Pooling"),
    (["--set", "op_select_implmode=high_precision", "--set", "optypelist_for_implmode=pooling"],
     ("optypelist_for_implmode: initialize_system knows Pooling only",), "仅支持 Pooling"),
    (["--set", "op_select_implmode=high_precision", "--set", "optypelist_for_implmode=Pooling"],
     (), ""),
    ([*MINDSPORE_LOG, "--set", "GLOG_log_dir=/l"],
     ("GLOG_log_dir: not used: logs go to the screen; set GLOG_logtostderr=0",), "GLOG_log_dir: 不会生效"),
    ([*MINDSPORE_LOG, "--set", "GLOG_log_dir=/l", "--set", "GLOG_logtostderr=0"],
     ("GLOG_log_dir: nobody limits or removes old log files: use logrotate",), "logrotate"),
    ([*MINDSPORE_LOG, "--set", "GLOG_v=1"], (), ""),
    (["--framework", "pytorch", "--tool", "npu-profile", "--set", "profiler_result_path=/p"],
     ("--tool npu-profile: torch_npu has it up to release 5.0.0 only; later ones need --tool "
      "torch-npu-profiler",), "之后请使用 --tool torch-npu-profiler"),
    (["--framework", "pytorch", "--tool", "npu-profile", "--torch-version", "2.1", "--set",
      "profiler_result_path=/p"], (), ""),
    (["--framework", "pytorch", "--tool", "autograd-profile", "--set", "output_path=/p"],
     ("--tool autograd-profile: torch.autograd.profiler takes use_npu up to torch 1.11 only",),
     "之后请使用 --tool torch-npu-profiler"),
    (["--framework", "mindspore", "--tool", "dump", "--set", "dump_config=/d.json"],
     ("dump_config: long names of operators can keep dump files from being written",),
     "reserve_class_name_in_scope=false"),
)


def dump_config(kind="async", **common):
    """The text of a data_dump.json that MindSpore takes, of the dump `kind`."""
    settings = {"dump_mode": 0, "path": "/d", "net_name": "n", "iteration": 0, "input_output": 2,
                "kernels": [], "support_device": [0], **common}
    return json.dumps({"common_dump_settings": settings, f"{kind}_dump_settings": {"enable": True}})


class InjectTest(program.ProgramTest):
    def inject(self, code, *arguments, **options):
        result = self.run_for(code, COMMAND, *arguments, **options)
        self.stdout = result.stdout.decode("utf-8")
        self.stderr = result.stderr.decode("utf-8")

    def test_what_is_wrong_is_refused_by_name_before_anything_is_written(self):
        script = self.write("script.py", SCRIPT)
        before = program.tree_of(self.folder)
        for options, english, chinese in REFUSED + REFUSED_ELSEWHERE:
            with self.subTest(options):
                options = ["-o", self.folder / "out", *options]
                self.inject(2, script, *options)
                self.assertIn(english, self.stderr)
                self.inject(2, script, "--lang", "zh", *options)
                self.assertIn(chinese, self.stderr)
                self.assert_nothing_written(before)

    def test_what_is_right_with_a_caution_gets_a_note(self):
        script = self.write("script.py", SCRIPT)
        for options, english, chinese in NOTES:
            with self.subTest(options):
                result = program.run(COMMAND, script, *options)
                lines = result.stderr.decode("utf-8").splitlines()
                notes = [line for line in lines if line.startswith("note: ")]
                self.assertEqual(len(notes), len(english), notes)
                for note, text in zip(notes, english):
                    self.assertTrue(note.startswith("note: " + text), note)
                result = program.run(COMMAND, script, "--lang", "zh", *options)
                self.assertIn(chinese, result.stderr.decode("utf-8"))

    def test_options_can_be_looked_up(self):
        table = json.loads((program.ROOT / "rules/inject_options.json").read_text())
        for framework in ("tensorflow", "pytorch", "mindspore"):
            self.inject(0, "--options", "--framework", framework)
            self.assertEqual(self.stderr, "")
            for row in table["options"]:
                if row["framework"] == framework:
                    self.assertRegex(self.stdout, rf"(?m)^  {row['name']} +")
        self.inject(0, "--options", "--framework", "tensorflow")
        for line in (
                r"dump_mode +what of an operator is dumped \{input, output, all\} \[output\]; "
                r"goes with enable_dump",
                r"op_debug_level +operators: 0 no debugging; .* \{0 to 4\} \[0\]",
                r"enable_dump +collects the data of operators \{true, false\} \[false\]; needs "
                r"dump_path; not with enable_dump_debug",
                r"precision_mode +.*\[allow_fp32_to_fp16 \(Atlas training\), must_keep_origin_dtype "
                r"\(Atlas A2 training\)\]",
                r"optypelist_for_implmode +types .*, as Pooling; needs op_select_implmode",
                r"iterations_per_loop +.*; not read by initialize_system"):
            self.assertRegex(self.stdout, line)
        self.inject(0, "--options", "--tool", "log")
        self.assertIn("mindspore --tool log\n", self.stdout)
        self.assertRegex(self.stdout, r"GLOG_v .*2 warning \(its own default\).* \{0, 1, 2, 3\}")
        self.assertNotIn("loss_monitor", self.stdout)
        self.inject(0, "--options", "--tool", "log", "--lang", "zh")
        self.assertIn("日志级别", self.stdout)
        self.inject(2)
        self.assertIn("INPUT: name a file or a folder", self.stderr)

    def test_forty_mistakes_and_more_have_a_refusal_of_their_own(self):
        texts = {english for _, english, _ in REFUSED + REFUSED_ELSEWHERE}
        self.assertGreaterEqual(len(texts), 60)

    def test_a_file_gives_a_file_of_the_same_name(self):
        script = self.write("in/script.py", SCRIPT)
        script.chmod(0o755)
        self.inject(0, script, "-o", self.folder / "out", "--dump-path", "/d")
        self.assertEqual(sorted(program.tree_of(self.folder / "out")),
                         ["change_list.csv", "script.py"])
        self.assertEqual((self.folder / "out" / "script.py").stat().st_mode & 0o777, 0o755)
        self.assertIn("enable_dump", (self.folder / "out" / "script.py").read_text())
        self.assertEqual(script.read_text(), SCRIPT)
        rows = program.rows_of((self.folder / "out" / "change_list.csv").read_bytes())
        self.assertEqual([row["Operation Type"] for row in rows], ["INSERT"])
        self.inject(2, script, "-o", self.folder / "out", "--dump-path", "/d")
        self.assertIn("exists already; give --force", self.stderr)
        self.inject(0, script, "-o", self.folder / "out", "--dump-path", "/d", "--force")

    def test_the_input_itself_is_not_an_output(self):
        script = self.write("script.py", SCRIPT)
        self.inject(2, script, "-o", self.folder, "--dump-path", "/d")
        self.assertIn("the result would replace the input", self.stderr)

    def test_a_project_gives_a_folder_and_the_change_list_beside_it(self):
        self.write("project/train.py", SCRIPT)
        self.write("project/other.py", NO_SITE)
        self.write("project/data/a.bin", b"\0\1")
        self.inject(0, self.folder / "project", "-o", self.folder / "out", "--dump-path", "/d")
        self.assertEqual(sorted(name for name in program.tree_of(self.folder / "out")),
                         ["change_list.csv", "project", f"project/{program.MANIFEST}",
                          "project/data", "project/data/a.bin", "project/other.py",
                          "project/train.py"])

    def test_nothing_is_written_without_a_site(self):
        self.write("project/other.py", NO_SITE)
        before = program.tree_of(self.folder)
        for place in ("project", "project/other.py"):
            self.inject(1, self.folder / place, "-o", self.folder / "out", "--dump-path", "/d")
            self.assertIn("no injection site found", self.stderr)
            self.assert_nothing_written(before)
        self.inject(1, self.folder / "project", "--dump-path", "/d", "--lang", "zh")
        self.assertIn("未找到注入点", self.stderr)

    def test_scripts_that_were_not_migrated_are_sent_there_first(self):
        script = self.write("train.py", "import tensorflow as tf\nsess = tf.Session()\n")
        self.inject(1, script, "--dump-path", "/d")
        self.assertIn("if the scripts are not migrated, do that first, with transplt migrate", self.stderr)
        self.write("other.py", "print(1)\n")
        self.inject(1, self.folder / "other.py", "--framework", "tensorflow", "--dump-path", "/d")
        self.assertTrue(self.stderr.endswith(
            f"no injection site found: nothing in {self.folder / 'other.py'} was seen to train with "
            "tensorflow: name the file or folder of the program that does\n"), self.stderr)

    def test_a_notebook_that_is_no_json_is_told(self):
        cut = self.write("p/train.ipynb", '{"cells": [{"cell_type": "code", "source": '
                         '["import npu_bridge"')
        for place in (cut, self.folder / "p"):
            self.inject(1, place, "--framework", "tensorflow", "--dump-path", "/d")
            self.assertIn("train.ipynb", self.stderr)
            self.assertIn("the notebook is not valid JSON here; repair it", self.stderr)

    def accounts(self):
        """What stderr says of each option, by its name."""
        lines = self.stderr.partition("Options, with the number of places:\n")[2].splitlines()
        return dict(line.strip().split(": ", 1) for line in lines)

    def test_an_option_that_no_place_takes_is_told(self):
        script = self.write("train.py", INITIALIZING)
        self.inject(1, script, "--set", "jit_compile=false", "--dump-path", "/d")
        self.assertEqual(self.accounts()["jit_compile"],
                         "set nowhere: no place that was found takes it")
        self.assertEqual(self.accounts()["dump_path"], "set 1")
        script = self.write("train.py", INITIALIZING + "tf.Session(config=npu_config_proto())\n")
        self.inject(0, script, "--set", "jit_compile=false", "--dump-path", "/d")
        self.assertNotIn("set nowhere", self.stderr)

    def test_an_option_that_is_left_everywhere_is_no_success(self):
        script = self.write("train.py",
                            "from npu_bridge.npu_init import *\nNPURunConfig(**options)\n")
        self.inject(1, script, "--set", "jit_compile=false")
        self.assertEqual(self.accounts()["jit_compile"],
                         "set nowhere: train.py:2: NPURunConfig: * and ** hide whether "
                         "jit_compile is handed over")

    def test_an_option_that_is_left_at_one_place_names_it(self):
        script = self.write("train.py", "from npu_bridge.npu_init import *\n"
                                        "NPURunConfig()\nNPURunConfig(**options)\n")
        self.inject(0, script, "--set", "jit_compile=false")
        self.assertEqual(self.accounts()["jit_compile"], "set 1, left 1 (train.py:3)")

    def test_an_option_whose_switch_nothing_switches_on_is_left(self):
        why = ("dump_step is read only where enable_dump is on, and nothing switches it on: "
               "add --dump-path")
        script = self.write("a.py", SCRIPT)
        self.inject(1, script, "-o", self.folder / "out", "--dump-step", "0|5")
        self.assertIn(f"dump_step: set nowhere: a.py:5: {why}", self.stderr)
        self.assertEqual((self.folder / "out/a.py").read_text(), SCRIPT)
        self.inject(1, script, "-o", self.folder / "out", "--force", "--dump-step", "0|5", "--set",
                    "op_debug_level=0")
        self.assertIn("dump_step: set nowhere: a.py:5", self.stderr)
        self.assertIn("op_debug_level: set 1", self.stderr)
        self.inject(1, script, "--dump-debug-mode", "all", "--lang", "zh")
        self.assertIn("dump_debug_mode 仅在 enable_dump_debug 打开时读取", self.stderr)

    def test_an_option_whose_switch_is_on_somewhere_in_the_program_is_set(self):
        self.inject(0, self.write("a.py", SCRIPT), "--in-place", "--dump-path", "/d")
        self.inject(0, self.folder / "a.py", "--dump-step", "0|5")
        self.write("p/config.py", SCRIPT.split("with")[0] + """op = \\
    config.graph_options.rewrite_options.custom_optimizers.add()
op.name = "NpuOptimizer"
op.parameter_map["enable_dump"].b = True
""")
        self.write("p/main.py", SCRIPT.replace("import *", "import *\nfrom config import config"))
        self.inject(0, self.folder / "p", "--dump-step", "0|5")

    def test_text_where_protobuf_takes_bytes_becomes_bytes(self):
        script = self.write("a.py", INITIALIZING.replace("sess =", '''custom_op.parameter_map["dump_path"].s = "/d"
sess =''', 1))
        self.inject(0, script, "--in-place", "--dump-path", "/d")
        self.assertIn('custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/d")\n',
                      script.read_text())

    def test_initialize_system_that_no_place_gets_is_told(self):
        script = self.write("a.py", SCRIPT)
        self.inject(0, script, "--initialize-system")
        self.assertRegex(self.stdout, r"(?s)\+npu_init = npu_ops.initialize_system\(\).* with tf.Ses")
        self.inject(0, self.write("b.py", INITIALIZING), "--initialize-system")
        self.assertIn("initialize_system: there already", self.stderr)
        # A program without a session, in its files or those that it imports, is none that trains.
        main = "from npu_bridge.npu_init import *\n{}if __name__ == '__main__':\n    work()\n"
        self.write("p/tool.py", main.format("import lib\n"))
        self.write("p/lib.py", "def work():\n    pass\n")
        self.write("p/train.py", main.format("from model import work\n"))
        self.write("p/model.py", "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n"
                   "def work():\n    return tf.Session(config=npu_config_proto())\n")
        self.inject(0, self.folder / "p", "--initialize-system")
        self.assertIn("initialize_system: inserted 1\n", self.stderr)
        self.assertIn("+++ b/train.py", self.stdout)
        self.assertNotIn("+++ b/tool.py", self.stdout)
        self.assertNotIn("+++ b/model.py", self.stdout)
        self.write("c.py", "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n"
                   "def make():\n    return tf.Session(config=npu_config_proto())\n")
        self.inject(1, self.folder / "c.py", "--initialize-system")
        self.assertIn("initialize_system: inserted nowhere: no program starts in these files "
                      "that comes to a session by what it imports", self.stderr)
        # It is of TensorFlow 1.
        self.write("d.py", "import npu_device as npu\nnpu.open().as_default()\n")
        self.inject(1, self.folder / "d.py", "--initialize-system")
        self.assertIn("it is of npu_bridge; with npu_device open() starts the NPU", self.stderr)
        self.inject(1, self.folder / "c.py", "--initialize-system", "--lang", "zh")
        self.assertIn("initialize_system: 未插入", self.stderr)

    def test_a_program_that_opens_npu_device_gets_no_initialize_system_for_a_session_of_a_helper(self):
        self.write("p/train.py", "import tensorflow as tf\nimport npu_device as npu\n"
                   "npu.open().as_default()\nfrom model import work\n"
                   "if __name__ == '__main__':\n    work()\n")
        self.write("p/model.py", "import tensorflow as tf\n"
                   "from npu_bridge.npu_init import npu_config_proto\n"
                   "def work():\n    return tf.Session(config=npu_config_proto())\n")
        self.inject(1, self.folder / "p", "--initialize-system")
        self.assertEqual(self.stdout, "")

    def test_a_model_of_mindspore_is_followed_into_files_that_do_not_name_it(self):
        self.write("p/main.py", "from mindspore import Model\nfrom lib import run, nothing\n"
                   "def make():\n    return Model(net, loss, opt, metrics={'acc'}), data\n"
                   "model, data = make()\nrun(model, data)\n")
        text = ('"""Trains."""\ndef run(model, data):\n    model.train(1, data, [])\n\n\n'
                "def nothing(other, data):\n    other.train(1, data, [])\n")
        library = self.write("p/lib.py", text)
        self.inject(0, self.folder / "p", "--in-place", "--tool", "callbacks", "--set",
                    "loss_monitor=true")
        self.assertIn("    model.train(1, data, [LossMonitor()])\n", library.read_text())
        self.assertIn("    other.train(1, data, [])\n", library.read_text())
        self.assertTrue(library.read_text().startswith('"""Trains."""\n# transplt-inject: begin'))
        self.inject(0, self.folder / "p", "--in-place", "--remove")
        self.assertEqual(library.read_text(), text)

    def test_a_class_that_no_file_has_is_named(self):
        script = self.write("a.py", "import mindspore\nclass Net(mindspore.nn.Cell):\n    pass\n")
        self.inject(1, script, "--tool", "print", "--set", "cell=Nett")
        self.assertIn("no class of these files is called Nett: name the class of a cell",
                      self.stderr)
        self.inject(1, script, "--tool", "print", "--set", "cell=Nett", "--lang", "zh")
        self.assertIn("没有名为 Nett 的类", self.stderr)

    def test_a_list_of_metrics_is_accounted_for(self):
        script = self.write("a.py", "from mindspore import Model\n"
                            "model = Model(net, loss, opt, metrics=['loss'])\nmodel.eval(data)\n")
        self.inject(1, script, "--tool", "metrics", "--set", "metrics=accuracy")
        self.assertIn("metrics=accuracy: set nowhere: a.py:2: MindSpore refuses a list of metrics",
                      self.stderr)
        self.assertNotIn("no injection site", self.stderr)

    def test_metrics_of_a_model_that_nothing_evaluates_are_told(self):
        code = "from mindspore import Model\nmodel = Model(net, loss, opt)\nmodel.train(1, data)\n"
        unevaluated = "nothing that was given was seen to evaluate this model"
        options = ("--framework", "mindspore", "--tool", "metrics", "--set", "metrics=accuracy")
        self.inject(0, self.write("a.py", code), *options)
        self.assertIn("a.py:2:9: inject-mindspore: " + unevaluated, self.stderr)
        # Another model is evaluated.
        self.write("p/a.py", code)
        self.write("p/eval.py", "from mindspore import Model\nother = Model(net, loss, opt)\n"
                   "other.eval(data)\n")
        self.inject(0, self.folder / "p", *options)
        self.assertIn("metrics=accuracy: set 2", self.stderr)
        self.assertIn("a.py:2:9: inject-mindspore: " + unevaluated, self.stderr)
        self.assertNotIn("eval.py:2", self.stderr)
        # It cannot be seen what is evaluated.
        self.write("p/a.py", code.replace("data)", "data, callbacks=[Own(model)])"))
        self.write("p/callback.py", "def score(model, data):\n    return model.eval(data)\n")
        self.inject(0, self.folder / "p", *options)
        self.assertNotIn(unevaluated, self.stderr)

    def test_each_word_of_a_list_is_accounted_for(self):
        script = self.write("a.py", "from mindspore import Model\nmodel = Model(net, loss, opt)\n"
                            "model.train(1, data)\n")
        self.inject(1, script, "--tool", "callbacks", "--set", "custom_callback=train,eval",
                    "--framework", "mindspore")
        self.assertIn("  custom_callback=train: set 1\n", self.stderr)
        self.assertIn("  custom_callback=eval: set nowhere: no place that was found takes it\n",
                      self.stderr)

    def test_what_keeps_a_best_value_or_a_time_is_not_made_anew_in_a_loop(self):
        head = ("from mindspore import Model\ndata = make()\n"
                "def make_model():\n    return Model(net, loss, opt, metrics={'acc'})\n")
        options = ("--framework", "mindspore", "--tool", "callbacks", "--set", "stop_at_time=10",
                   "--set", "best_checkpoint=data", "--set", "loss_monitor=true")
        epochs = self.write("a.py", head + "model = make_model()\nfor epoch in range(9):\n"
                            "    model.train(1, data)\n")
        self.inject(1, epochs, *options)
        self.assertIn("  loss_monitor: set 1\n", self.stderr)
        self.assertIn("  stop_at_time: set nowhere: a.py:7: stop_at_time: a loop calls train() for "
                      "one model again and again", self.stderr)
        self.assertIn("  best_checkpoint: set nowhere: a.py:7: best_checkpoint: a loop calls train()",
                      self.stderr)
        # Each round has a model of its own.
        folds = self.write("b.py", "from mindspore import Model\ndata = make()\n"
                           "for fold in range(9):\n"
                           "    model = Model(net, loss, opt, metrics={'acc'})\n"
                           "    model.train(1, data)\n")
        self.inject(0, folds, *options)
        self.assertIn("  stop_at_time: set 1\n", self.stderr)

    def test_a_callback_that_is_derived_from_the_wanted_one_is_there_already(self):
        script = self.write("a.py", "from mindspore import Model\n"
                            "from mindspore.train.callback import LossMonitor\n"
                            "class Loss(LossMonitor):\n    pass\n"
                            "Model(net, loss, opt).train(1, data, callbacks=[Loss()])\n")
        self.inject(0, script, "--tool", "callbacks", "--set", "loss_monitor=true")
        self.assertIn("Edits: 0\n", self.stderr)

    def test_graphs_that_no_mode_compiles_are_told(self):
        for mode, told in (("PYNATIVE_MODE", True), ("GRAPH_MODE", False)):
            script = self.write("a.py", "from mindspore import Model, context\n"
                                f"context.set_context(mode=context.{mode})\n"
                                "Model(net, loss, opt).train(1, data)\n")
            self.inject(0, script, "--tool", "context", "--set", "save_graphs=true")
            self.assertEqual("PYNATIVE_MODE compiles no graph that could be saved" in self.stderr,
                             told)
        for condition, is_branch in (("__name__ == '__main__'", False), ("args.eager", True)):
            script = self.write("a.py", "from mindspore import Model, context\n"
                                f"if {condition}:\n    context.set_context(mode=context.PYNATIVE_MODE)\n"
                                "Model(net, loss, opt).train(1, data)\n")
            self.inject(0, script, "--tool", "context", "--set", "save_graphs=true")
            self.assertEqual("it stands in a branch" in self.stderr, is_branch)

    def best_checkpoint_of(self, code, before, data="data"):
        script = self.write("a.py", "from mindspore import Model\n" + before +
                            "model = Model(net, loss, opt, metrics={'acc'})\n"
                            "model.train(1, train)\n")
        self.inject(code, script, "--framework", "mindspore", "--tool", "callbacks", "--set",
                    f"best_checkpoint={data}")
        return self.stderr

    def test_data_that_may_be_none_or_missing_keep_no_best_checkpoint(self):
        for before in ("if path:\n    data = make()\nelse:\n    data = None\n",
                       "data = make() if path else None\n",
                       "data = None\nif path:\n    data = make()\n",
                       "if path:\n    data = make()\n"):
            self.assertIn("a.py:%d: best_checkpoint: data may have no value here, or None" %
                          (before.count("\n") + 3), self.best_checkpoint_of(1, before))
        self.assertIn("data has no value here", self.best_checkpoint_of(1, ""))
        self.assertIn("config.data has no value here",
                      self.best_checkpoint_of(1, "config = read()\n", "config.data"))

    def test_data_that_the_script_reads_itself_before_keep_the_best_checkpoint(self):
        for before, data in (
                ("data = None\ndata = make()\n", "data"),
                ("if a:\n    data = make()\nelif b:\n    data = other()\nwatch(data)\n", "data"),
                ("loaders = make()\nprint(len(loaders.valid))\n", "loaders.valid")):
            self.assertIn("best_checkpoint: set 1", self.best_checkpoint_of(0, before, data))

    def test_a_context_that_only_one_way_sets_is_set_for_the_others_too(self):
        line = "\ncontext.set_context(save_graphs=True)\n"
        for body, is_added in (
                ("def a():\n    context.set_context(mode=0)\n"
                 "def b():\n    context.set_context(mode=0, save_graphs=False)\n", True),
                ("if many:\n    context.set_context(mode=0, save_graphs=False)\n", True),
                ("if many:\n    context.set_context(mode=0, save_graphs=False)\n"
                 "else:\n    context.set_context(mode=0)\n", True),
                ("def main():\n    context.set_context(mode=0, save_graphs=False)\n"
                 "    if many:\n        context.set_context(device_id=1)\n", False),
                ("if __name__ == '__main__':\n    context.set_context(save_graphs=False)\n", False)):
            script = self.write("a.py", "from mindspore import Model, context\n" + body +
                                "Model(net).train(1, data)\n")
            self.inject(0, script, "--tool", "context", "--set", "save_graphs=true")
            self.assertEqual(line.replace("\n", "\n+")[:-1] in self.stdout, is_added, body)

    def test_a_parameter_for_which_a_caller_gives_none_is_not_printed(self):
        self.write("p/net.py", "from mindspore import nn\nclass Net(nn.Cell):\n"
                   "    def __init__(self):\n        super().__init__()\n        self.n = 1\n"
                   "    def construct(self, image, boxes, labels):\n        return image\n")
        self.write("p/export.py", "from mindspore import nn\nfrom net import Net\n"
                   "class Infer(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.net = Net()\n    def construct(self, image, boxes=None):\n"
                   "        return self.net(image, boxes, None)\n")
        self.inject(0, self.folder / "p", "--tool", "print", "--set", "cell=Net")
        self.assertIn("boxes, labels: may be None", self.stderr)
        self.assertIn("npu_print(\"image:\", image)\n", self.stdout)

    def test_a_callback_that_a_function_puts_into_the_list_is_there_already(self):
        script = self.write("a.py", "from mindspore import Model\n"
                            "from mindspore.train.callback import ModelCheckpoint\n"
                            "def add(callbacks, rank):\n    callbacks.append(ModelCheckpoint())\n"
                            "own = []\nadd(own, 0)\n"
                            "Model(net, loss, opt).train(1, data, callbacks=own)\n")
        self.inject(0, script, "--tool", "callbacks", "--set", "model_checkpoint=true")
        self.assertIn("Edits: 0\n", self.stderr)

    def test_an_evaluation_without_data_is_none_of_a_model(self):
        self.write("p/a.py", "from mindspore import Model\nmodel = Model(net, loss, opt)\n"
                   "model.train(1, data)\n")
        self.write("p/b.py", "def show(metrics):\n    return [m.eval(sync=True) for m in metrics]\n")
        self.inject(0, self.folder / "p", "--framework", "mindspore", "--tool", "metrics", "--set",
                    "metrics=loss")
        self.assertIn("nothing that was given was seen to evaluate this model", self.stderr)

    def test_a_model_that_is_passed_to_nothing_is_not_the_one_that_something_evaluates(self):
        self.write("p/a.py", "from mindspore import Model\n"
                   "def train(data):\n    model = Model(net, loss, opt)\n"
                   "    model.train(1, data)\n"
                   "def run(data):\n    other = Model(net, loss, opt)\n    evaluate(other)\n")
        self.write("p/b.py", "def evaluate(model):\n    return kept['model'].eval(data)\n")
        self.inject(0, self.folder / "p", "--framework", "mindspore", "--tool", "metrics", "--set",
                    "metrics=loss")
        self.assertIn("a.py:3:13: inject-mindspore: nothing that was given was seen", self.stderr)
        self.assertNotIn("a.py:6", self.stderr)

    def test_backups_of_jupyter_stay_as_they_are(self):
        text = "from mindspore import Model\nModel(net).train(1, data)\n"
        self.write("p/a.py", text)
        backup = "p/.ipynb_checkpoints/a-checkpoint.py"
        self.write(backup, text)
        self.inject(0, self.folder / "p", "-o", self.folder / "out", "--framework", "mindspore",
                    "--tool", "callbacks", "--set", "loss_monitor=true")
        self.assertIn("loss_monitor: set 1", self.stderr)
        self.assertEqual((self.folder / "out" / backup).read_text(), text)

    def test_a_callback_that_one_way_lacks_is_told(self):
        script = self.write("a.py", "from mindspore import Model\n"
                            "from mindspore.train.callback import ModelCheckpoint, TimeMonitor\n"
                            "if many:\n    own = [TimeMonitor()]\nelse:\n"
                            "    own = [TimeMonitor(), ModelCheckpoint()]\n"
                            "Model(net, loss, opt).train(1, data, callbacks=own)\n")
        self.inject(0, script, "--tool", "callbacks", "--set", "model_checkpoint=true")
        self.assertIn("ModelCheckpoint is among the callbacks on some of the ways to this call only",
                      self.stderr)

    def test_a_callback_that_is_added_under_a_condition_is_told(self):
        told = "is among the callbacks on some of the ways to this call only"
        for condition, is_told in (("flag", True), ("rank == 0", False), ("args.rank == 0", False),
                                   ("rank == 0 and flag", True)):
            script = self.write("a.py", "from mindspore import Model\n"
                                "from mindspore.train.callback import ModelCheckpoint, TimeMonitor\n"
                                f"own = [TimeMonitor()]\nif {condition}:\n"
                                "    own.append(ModelCheckpoint())\n"
                                "Model(net, loss, opt).train(1, data, callbacks=own)\n")
            self.inject(0, script, "--tool", "callbacks", "--set", "model_checkpoint=true")
            self.assertEqual(told in self.stderr, is_told, condition)

    def test_a_summary_collector_of_the_script_keeps_its_folder_with_a_word(self):
        script = self.write("a.py", "from mindspore import Model\n"
                            "from mindspore.train.callback import SummaryCollector\n"
                            "Model(net, loss, opt).train(1, data, callbacks=[SummaryCollector('a')])\n")
        self.inject(0, script, "--tool", "callbacks", "--set", "summary_dir=./summary")
        self.assertIn("SummaryCollector is among the callbacks already, and keeps its own folder",
                      self.stderr)

    def test_a_callback_that_the_caller_puts_into_its_list_is_there_already(self):
        script = self.write("a.py", "from mindspore import Model\n"
                            "from mindspore.train.callback import SummaryCollector\n"
                            "def train(callbacks):\n"
                            "    Model(net, loss, opt).train(1, data, callbacks=callbacks)\n"
                            "def main():\n    own = []\n    own.append(SummaryCollector('a'))\n"
                            "    train(own)\nmain()\n")
        self.inject(0, script, "--tool", "callbacks", "--set", "summary_dir=./summary")
        self.assertIn("Edits: 0\n", self.stderr)
        self.assertIn("keeps its own folder", self.stderr)

    def test_a_device_of_a_parser_in_another_file_may_be_a_gpu(self):
        self.write("p/options.py", "import argparse\nparser = argparse.ArgumentParser()\n"
                   "parser.add_argument('--device', default='GPU')\nargs = parser.parse_args()\n")
        self.write("p/train.py", "from mindspore import context\nfrom mid import run\n"
                   "from options import args\n"
                   "context.set_context(device_target=args.device)\nrun()\n")
        self.write("p/mid.py", "from net import Net\ndef run():\n    return Net()\n")
        self.write("p/net.py", "from mindspore import nn\nclass Net(nn.Cell):\n"
                   "    def __init__(self):\n        super().__init__()\n        self.n = 1\n"
                   "    def construct(self, x):\n        return x\n")
        self.inject(0, self.folder / "p", "--tool", "print", "--set", "cell=Net")
        self.assertIn("the operator Print works on Ascend only (train.py:4: context.set_context; its "
                      "value is not written there", self.stderr)

    def test_a_value_of_the_context_that_was_computed_is_told(self):
        script = self.write("a.py", "import mindspore\nfrom mindspore import context\n"
                            "context.set_context(save_graphs=True, save_graphs_path=path_of(rank))\n"
                            "mindspore.Model(net).train(1, data)\n")
        self.inject(0, script, "--tool", "context", "--set", "save_graphs=true", "--set",
                    "save_graphs_path=./ir")
        self.assertIn("save_graphs_path: the script computed it, as path_of(rank): now each process "
                      'and each run has "./ir"', self.stderr)

    def test_a_value_of_the_context_with_a_computed_part_is_told(self):
        script = self.write("a.py", "import mindspore\nfrom mindspore import context\n"
                            "context.set_context(save_graphs=True, save_graphs_path='g_' + str(rank()))\n"
                            "mindspore.Model(net).train(1, data)\n")
        self.inject(0, script, "--tool", "context", "--set", "save_graphs=true", "--set",
                    "save_graphs_path=./ir")
        self.assertIn("save_graphs_path: the script computed it, as 'g_' + str(rank()): now each "
                      "process and each run has './ir'", self.stderr)

    def test_an_attribute_that_a_base_class_sets_is_followed(self):
        self.write("p/engine.py", "class Base:\n    def set_model(self, model):\n"
                   "        self.model = model\n\n\nclass Engine(Base):\n"
                   "    def __init__(self):\n        self.model = None\n"
                   "    def eval(self):\n        self.model.eval(data)\n")
        self.write("p/eval.py", "from mindspore import Model\nfrom engine import Engine\n"
                   "engine = Engine()\nengine.set_model(Model(net, loss))\nengine.eval()\n")
        self.inject(0, self.folder / "p", "--tool", "callbacks", "--set", "custom_callback=eval",
                    "--framework", "mindspore")
        self.assertIn("  custom_callback=eval: set 1\n", self.stderr)

    def test_a_variable_that_is_none_gets_no_best_checkpoint(self):
        script = self.write("a.py", "from mindspore import Model, nn\ndata = None\n"
                            "model = Model(net, loss, opt, metrics={'acc': nn.Accuracy()})\n"
                            "model.train(1, train)\nmodel.eval(test)\n")
        self.inject(1, script, "--tool", "callbacks", "--set", "best_checkpoint=data",
                    "--framework", "mindspore")
        self.assertIn("best_checkpoint: set nowhere: a.py:4: best_checkpoint: data may have no value "
                      "here, or None",
                      self.stderr)

    def best_checkpoint(self, code, want="set 1"):
        script = self.write("a.py", "from mindspore import Model, nn\n"
                            "model = Model(net, loss, opt, metrics={'acc': nn.Accuracy()})\n" + code +
                            "model.train(1, train)\nmodel.eval(data)\n")
        self.inject(0 if want == "set 1" else 1, script, "--tool", "callbacks", "--set",
                    "best_checkpoint=data", "--framework", "mindspore")
        self.assertIn("best_checkpoint: " + want, self.stderr)

    def test_data_that_every_branch_makes_are_there_for_the_best_checkpoint(self):
        self.best_checkpoint("if a:\n    data = f()\nelif b:\n    data = g()\nelse:\n    raise E\n")
        self.best_checkpoint("with a:\n    data = f()\n")
        self.best_checkpoint("try:\n    data = f()\nexcept E:\n    raise\n")
        self.best_checkpoint("if a:\n    data = f()\nelif b:\n    data = g()\n", "set nowhere")
        self.best_checkpoint("try:\n    data = f()\nexcept E:\n    pass\n", "set nowhere")

    def test_a_log_level_that_the_script_sets_itself_is_changed_there(self):
        code = ("import os\nimport mindspore\nos.environ['GLOG_v'] = '3'\n"
                "os.environ['OTHER'] = '3'\n\nif __name__ == '__main__':\n    print(mindspore)\n")
        script = self.write("p/a.py", code)
        self.inject(0, self.folder / "p", "--in-place", "--framework", "mindspore", "--tool", "log",
                    "--set", "GLOG_v=1")
        text = script.read_text()
        self.assertEqual(text.count("os.environ['GLOG_v'] = '1'"), 2)
        self.assertIn("os.environ['OTHER'] = '3'", text)
        self.inject(0, self.folder / "p", "--in-place", "--framework", "mindspore", "--tool", "log",
                    "--set", "GLOG_v=1")
        self.assertEqual(script.read_text(), text)
        self.inject(0, self.folder / "p", "--in-place", "--remove")
        self.assertEqual(script.read_text(), code)

    def test_a_tuple_that_is_taken_apart_is_not_printed(self):
        script = self.write("a.py", "import mindspore.nn as nn\n\n\nclass Net(nn.Cell):\n"
                            "    def __init__(self):\n        super().__init__()\n\n"
                            "    def construct(self, pair, x):\n        a, b = pair\n"
                            "        return a + b + x\n")
        self.inject(0, script, "--tool", "print", "--set", "cell=Net", "--framework", "mindspore")
        self.assertIn('self.npu_print("x:", x)', self.stdout)
        self.assertIn("pair: may be None, a dictionary or a list", self.stderr)

    def test_a_training_loop_of_ones_own_is_told_what_callbacks_and_metrics_need(self):
        script = self.write("a.py", "import mindspore as ms\n\nstep = ms.nn.TrainOneStepCell(net, opt)\n"
                            "for x in data:\n    step(x)\n")
        self.inject(1, script, "--tool", "callbacks", "--set", "loss_monitor=true")
        self.assertIn("no train() and no fit() of a mindspore.Model was found", self.stderr)
        self.inject(1, script, "--tool", "metrics", "--set", "metrics=loss")
        self.assertIn("no mindspore.Model was found", self.stderr)

    def test_callbacks_of_mindspore_are_accounted_for_one_by_one(self):
        script = self.write("train.py", "import mindspore as ms\n"
                                        "model = ms.Model(net)\nmodel.train(1, data)\n")
        self.inject(1, script, "--framework", "mindspore", "--tool", "callbacks",
                    "--set", "loss_monitor=true", "--set", "best_checkpoint=missing")
        self.assertEqual(self.accounts()["loss_monitor"], "set 1")
        self.assertTrue(self.accounts()["best_checkpoint"].startswith(
            "set nowhere: train.py:3: best_checkpoint: missing has no value here"))

    def test_an_object_that_several_calls_take_is_counted_once(self):
        session = "tf.Session(config=npu_config_proto(config_proto=config))\n"
        script = self.write("train.py", "import tensorflow as tf\n"
                            "from npu_bridge.npu_init import *\nconfig = tf.ConfigProto()\n"
                            "if big:\n    sess = " + session + "else:\n    sess = " + session)
        for _ in range(2):
            self.inject(0, script, "--in-place", "--dump-path", "/d")
            self.assertEqual(self.accounts(), {"enable_dump": "set 1", "dump_path": "set 1"})

    def test_a_second_run_names_places_of_the_file_as_it_is_now(self):
        script = self.write("train.py", "import mindspore as ms\nmodel = ms.Model(net)\n"
                            "model.train(1,\n            data, callbacks=[mine, and_mine])\n\n"
                            "model.train(2, data)\n")
        for _ in range(2):
            lines = script.read_text().splitlines()
            first = next(i for i, line in enumerate(lines, 1) if line.startswith("model.train(1"))
            self.inject(1, script, "--in-place", "--framework", "mindspore", "--tool", "callbacks",
                        "--set", "loss_monitor=true", "--set", "best_checkpoint=missing")
            self.assertIn(f"set nowhere: train.py:{first}: ", self.accounts()["best_checkpoint"])

    def test_the_account_of_a_second_run_is_that_of_the_first(self):
        script = self.write("train.py", INITIALIZING)
        for _ in range(2):
            self.inject(0, script, "--in-place", "--dump-path", "/d")
            self.assertEqual(self.accounts(), {"enable_dump": "set 1", "dump_path": "set 1"})

    def test_a_list_of_traces_becomes_json_where_the_points_stand_inside(self):
        for text in ("from npu_bridge.npu_init import *\nconfig = NPURunConfig()\n",
                     "import npu_device as npu\nnpu.open().as_default()\n"):
            script = self.write("train.py", text)
            self.inject(0, script, "--profiling-options", "training_trace:task_trace",
                        "--fp-point", "first", "--bp-point", "last")
            self.assertIn('{"training_trace":"on","task_trace":"on","fp_point":"first",'
                          '"bp_point":"last"}', self.stdout)
            self.assertEqual(self.accounts()["fp_point"], "set 1")
        script = self.write("train.py", SCRIPT)
        self.inject(0, script, "--profiling-options", "training_trace:task_trace",
                    "--fp-point", "first", "--bp-point", "last")
        self.assertIn('parameter_map["fp_point"].s', self.stdout)

    def test_the_points_of_a_profile_go_wherever_profiling_is_configured(self):
        for text in ("from npu_bridge.npu_init import *\nconfig = NPURunConfig()\n",
                     "import npu_device as npu\nnpu.open().as_default()\n"):
            script = self.write("train.py", text)
            self.inject(0, script, "--profiling", "--profiling-options", '{"output":"/p"}',
                        "--fp-point", "first", "--bp-point", "last")
            self.assertIn('"fp_point":"first","bp_point":"last"', self.stdout)

    def test_a_notebook_of_tensorflow_has_sites_and_gets_its_bytes_back(self):
        cells = [["import tensorflow as tf\n", "from npu_bridge.npu_init import *\n"],
                 ["!ls\n", "x = tf.constant(1)"],
                 ["with tf.Session(config=npu_config_proto()) as sess:\n", "    sess.run(x)"]]
        text = json.dumps({"cells": [{"cell_type": "code", "execution_count": None, "metadata": {},
                                      "outputs": [], "source": cell} for cell in cells],
                           "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
                           "nbformat_minor": 2}, indent=1)
        notebook = self.write("project/look.ipynb", text)
        self.inject(0, notebook, "--list", "--dump-path", "/d")
        self.assertIn("look.ipynb:29:29: npu_config_proto: sets enable_dump, dump_path",
                      self.stdout)
        self.inject(0, self.folder / "project", "--in-place", "--dump-path", "/d")
        cells = json.loads(notebook.read_text())["cells"]
        self.assertEqual([len(cell["source"]) for cell in cells], [2, 2, 12])
        self.assertIn('"/d"', "".join(cells[2]["source"]))
        self.inject(0, notebook, "--dump-path", "/d")
        self.assertEqual(self.stdout, "")
        self.inject(0, self.folder / "project", "--in-place", "--remove")
        self.assertEqual(notebook.read_text(), text)

    def test_a_notebook_of_pytorch_and_mindspore_has_sites_too(self):
        for framework, options, cells, wanted in (
                ("mindspore", ["--tool", "callbacks", "--set", "loss_monitor=true"],
                 [["from mindspore import Model\n"], ["model = Model(net, loss)"],
                  ["!ls\n", "model.train(1, data)"]], "callbacks=[LossMonitor()]"),
                ("pytorch", ["--tool", "prof", "--set", "start_step=1", "--set", "stop_step=2",
                             "--set", "profiler_result_path=/p"],
                 [["import torch\n"], ["for x in data:\n", "    loss = model(x)\n",
                                       "    loss.backward()\n", "    optimizer.step()"]],
                 "/p")):
            with self.subTest(framework):
                text = json.dumps({"cells": [
                    {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                     "source": cell} for cell in cells],
                    "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
                    "nbformat_minor": 2}, indent=1)
                notebook = self.write(f"{framework}/look.ipynb", text)
                folder = self.folder / framework
                self.inject(0, folder, "--framework", framework, "--in-place", *options)
                written = "".join("".join(cell["source"])
                                  for cell in json.loads(notebook.read_text())["cells"])
                self.assertIn(wanted, written)
                self.inject(0, folder, "--framework", framework, "--in-place", "--remove")
                self.assertEqual(notebook.read_text(), text)

    def test_the_dump_of_mindspore_is_left_to_what_starts_the_script(self):
        script = self.write("train.py", "from mindspore import Model\nModel(net).train(1, data)\n")
        self.inject(1, script, "--framework", "mindspore", "--tool", "dump",
                    "--set", "dump_config=/d/data_dump.json")
        self.assertEqual(self.stdout, "")
        self.assertIn("transplt generate launch --dump-config /d/data_dump.json", self.stderr)

    def test_a_script_of_mindspore_needs_neither_its_name_nor_a_main_block(self):
        for start in ("train(2)\n", "if __name__ == '__main__':\n    train(2)\n"):
            with self.subTest(start):
                self.write("p/train.py", "import os\n\nfrom lib import train\n\n" + start)
                self.write("p/lib.py", "import mindspore\n\ndef train(n):\n    return n\n")
                self.inject(0, self.folder / "p", *MINDSPORE_LOG, "--set", "GLOG_v=1")
                self.stdout = self.stdout.replace("'", '"')
                self.assertIn('+os.environ["GLOG_v"] = "1"\n', self.stdout)
                before, after = self.stdout.split('+os.environ["GLOG_v"]')
                self.assertNotIn("from lib import train", before)
                self.assertIn(" from lib import train\n", after)
                self.assertNotIn("b/lib.py", self.stdout)
                self.inject(1, self.folder / "p", "--framework", "mindspore", "--tool", "dump",
                            "--set", "dump_config=/d/data_dump.json")
                self.assertIn("train.py:3:", self.stderr)

    def test_packages_and_tests_of_mindspore_are_no_programs(self):
        text = "import mindspore\n\nprint(mindspore.__version__)\n"
        self.write("p/lib/__init__.py", text)
        self.write("p/tests/test_lib.py", text)
        self.write("p/show.py", text)
        self.inject(0, self.folder / "p", *MINDSPORE_LOG, "--set", "GLOG_v=1", "--list")
        self.assertIn("show.py", self.stdout)
        self.assertNotIn("lib", self.stdout)

    def test_a_part_that_is_not_python_is_told(self):
        script = self.write("train.py", "import mindspore\nprint(1\n")
        self.inject(1, script, *MINDSPORE_LOG, "--set", "GLOG_v=1")
        self.assertIn("train.py:2:", self.stderr)

    STEP = "import torch\n{}\nfor x in data:\n    loss = model(x)\n    loss.backward()\n    step()\n"

    def constrained(self, code, before, *options, framework="pytorch"):
        script = self.write("train.py", self.STEP.format(before))
        self.inject(code, script, "--framework", framework, *options)
        return self.stderr

    def test_a_file_stays_where_the_tool_meets_what_it_must_not(self):
        dumper = ("--tool", "dumper", "--dump-path", "/d", "--overflow")
        profile = ("--tool", "npu-profile", "--set", "profiler_result_path=/p")
        for options, before, said in (
                (dumper, "torch.distributed.init_process_group('hccl')",
                 "works on one card only (train.py:2: torch.distributed.init_process_group)"),
                (dumper, "from apex import amp\namp.initialize(model, optimizer)",
                 "must not meet a dynamic loss scale"),
                (dumper, "from apex import amp\n"
                         "amp.initialize(model, loss_scale=128., combine_grad=True)",
                 "must not meet combined tensors"),
                (("--tool", "aoe", "--dump-path", "/d"), "torch.npu.prof_init('/p')",
                 "the profiler must be off"),
                (("--tool", "init-dump", "--set", "dump_config=/d.json"), "torch.npu.init_dump()",
                 "the script dumps operators already"),
                (profile, "torch.npu.set_aoe('/d')", "the profiler must be off"),
                (profile, "torch.npu.prof_start()", "one records at a time")):
            with self.subTest(said=said, options=options):
                self.assertIn(said, self.constrained(1, before, *options))
                self.assertEqual(self.stdout, "")
                self.assertIn("set nowhere: train.py:", self.stderr)

    def test_what_was_injected_before_stays_where_the_tool_meets_it_now(self):
        dumper = ("--framework", "pytorch", "--tool", "dumper", "--dump-path", "/d", "--overflow")
        script = self.write("train.py", self.STEP.format(""))
        self.inject(0, script, "--in-place", *dumper)
        injected = script.read_text() + "torch.distributed.init_process_group('hccl')\n"
        script.write_text(injected)
        self.inject(1, script, "--in-place", *dumper)
        self.assertIn("works on one card only", self.stderr)
        self.assertEqual(script.read_text(), injected)

    def test_a_second_debugger_is_refused_and_the_first_one_may_be_put_in_again(self):
        capture = ("--framework", "pytorch", "--tool", "capture", "--dump-path", "/d")
        script = self.write("train.py", self.STEP.format(""))
        self.inject(0, script, "--in-place", "--framework", "pytorch", "--set", "task=tensor")
        injected = script.read_text()
        self.inject(1, script, "--in-place", *capture)
        self.assertIn("the script has a debugger already", self.stderr)
        self.assertEqual(script.read_text(), injected)
        self.inject(0, script, "--in-place", "--framework", "pytorch", "--set", "task=statistics")
        self.assertEqual(script.read_text(), injected.replace("tensor", "statistics"))
        self.inject(0, script, "--in-place", "--remove")
        self.inject(0, script, "--in-place", *capture)
        self.assertEqual(script.read_text().count("debugger.start()"), 1)

    def test_a_tool_that_meets_it_perhaps_is_put_in_with_a_row(self):
        dumper = ("--tool", "dumper", "--dump-path", "/d", "--overflow")
        for before in ("if many:\n    torch.distributed.init_process_group('hccl')",
                       "torch.cuda.amp.GradScaler(enabled=args.amp)"):
            said = self.constrained(0, before, *dumper)
            self.assertIn("inject-constraint: the overflow detection of single operators", said)
            self.assertIn("check_overflow=True", self.stdout)
        self.constrained(0, "torch.distributed.init_process_group('hccl')", "--tool", "aoe",
                         "--dump-path", "/d")
        self.assertIn("ranks would overwrite each other's files", self.stderr)

    def test_a_tool_that_meets_nothing_gets_no_row(self):
        dumper = ("--tool", "dumper", "--dump-path", "/d")
        for before in ("from apex import amp\namp.initialize(model, loss_scale=128.)",
                       "scale = 'dynamic'\nscale = 64\nfrom apex import amp\n"
                       "amp.initialize(model, loss_scale=64)",
                       "torch.cuda.amp.GradScaler(enabled=False)"):
            self.assertNotIn("inject-constraint", self.constrained(0, before, *dumper,
                                                                   "--overflow"))
        # Without the overflow detection none of this counts.
        self.assertNotIn("inject-constraint", self.constrained(
            0, "torch.distributed.init_process_group('hccl')", *dumper))

    def test_what_a_tool_must_not_meet_may_stand_in_another_file_of_the_program(self):
        self.write("engine.py", self.STEP.format(""))
        self.write("main.py", "import torch.distributed as dist\nfrom engine import train\n"
                              "dist.init_process_group('hccl')\ntrain()\n")
        self.write("single.py", self.STEP.format(""))
        self.inject(0, self.folder, "--framework", "pytorch", "--tool", "dumper", "--dump-path",
                    "/d", "--overflow")
        self.assertIn("(main.py:3: dist.init_process_group)", self.stderr)
        self.assertNotIn("+++ b/engine.py", self.stdout)
        self.assertIn("+++ b/single.py", self.stdout)
        self.assertEqual(self.accounts()["dump_path"], "set 1, left 1 (engine.py:5)")

    def test_a_configuration_that_cannot_be_read_leaves_the_question_open(self):
        script = self.write("train.py", "from mindspore import Model, context\n"
                                        "context.set_context(device_target='GPU')\n"
                                        "Model(net).train(1, data)\n")
        for settings in ("/dev/zero", "/nowhere.json"):
            self.inject(1, script, "--framework", "mindspore", "--tool", "dump",
                        "--set", f"dump_config={settings}")
            self.assertIn("asynchronous dump works on Ascend only", self.stderr)
            self.assertIn("generate launch --dump-config", self.stderr)

    def test_a_function_of_another_file_is_not_certain_to_run(self):
        self.write("train.py", "from tracing import trace\n" + self.STEP.format(""))
        self.write("tracing.py", "import torch\n\ndef trace():\n    torch.npu.prof_start()\n")
        self.inject(0, self.folder, "--framework", "pytorch", "--tool", "npu-profile",
                    "--set", "profiler_result_path=/p")
        self.assertIn("one records at a time (tracing.py:4: torch.npu.prof_start)", self.stderr)
        self.assertIn("+++ b/train.py", self.stdout)

    def test_the_tools_of_mindspore_say_where_they_do_not_work(self):
        model = ("from mindspore import Model, context\n"
                 "context.set_context(mode={}, device_target={})\nModel(net).train(1, data)\n")
        for mode, target, config, said in (
                ("context.PYNATIVE_MODE", "'Ascend'", dump_config(), "graph mode only"),
                ("0", "'CPU'", dump_config("e2e"), "Ascend and GPU only"),
                ("0", "'GPU'", dump_config(), "asynchronous dump works on Ascend only"),
                ("0", "'GPU'", dump_config("e2e", input_output=0), "a GPU dumps outputs only")):
            script = self.write("train.py", model.format(mode, target))
            settings = self.write("dump.json", config)
            self.inject(1, script, "--framework", "mindspore", "--tool", "dump",
                        "--set", f"dump_config={settings}")
            self.assertIn(said, self.stderr)
        script = self.write("train.py", model.format("0", "'Ascend'"))
        self.inject(1, script, "--framework", "mindspore", "--tool", "dump",
                    "--set", f"dump_config={settings}")
        self.assertNotIn("inject-constraint", self.stderr)
        script = self.write("train.py", model.format("0", "'CPU'"))
        self.inject(1, script, "--framework", "mindspore", "--tool", "dump",
                    "--set", f"dump_config={settings}")
        self.assertNotIn("a GPU dumps outputs only", self.stderr)
        cell = ("import mindspore\nfrom mindspore import context\n"
                "context.set_context(device_target={})\nclass Net(mindspore.nn.Cell):\n"
                "    def __init__(self):\n        super().__init__()\n"
                "    def construct(self, x):\n        return x\n")
        for target, code in (("'GPU'", 1), ("'CPU'", 1), ("'Ascend'", 0)):
            script = self.write("train.py", cell.format(target))
            self.inject(code, script, "--framework", "mindspore", "--tool", "print", "--set",
                        "cell=Net")
            self.assertEqual("the operator Print works on Ascend only" in self.stderr, bool(code))

    def test_an_asynchronous_dump_without_data_sinking_wants_all_iterations(self):
        said = 'without data sinking an asynchronous dump wants "iteration": 0'
        cases = (("True", "async", 3, False), ("False", "async", 3, True),
                 ("False", "async", "0|3", True), ("False", "async", 0, False),
                 ("False", "e2e", 3, False), ("sink", "async", 3, True))
        for sink, kind, iteration, is_said in cases:
            with self.subTest((sink, kind, iteration)):
                script = self.write("train.py", "from mindspore import Model\n"
                                    "model = Model(net, loss, opt)\n"
                                    f"model.train(1, data, dataset_sink_mode={sink})\n")
                settings = self.write("dump.json", dump_config(kind, iteration=iteration))
                arguments = ("--framework", "mindspore", "--tool", "dump", "--set",
                             f"dump_config={settings}")
                self.inject(1, script, *arguments)
                self.assertEqual(said in self.stderr, is_said, self.stderr)
        script = self.write("train.py", "from mindspore import Model\nmodel = Model(net)\n"
                            "model.train(1, data, [], False)\n")
        self.inject(1, script, *arguments)
        self.assertIn(f"{said}, and dumps every iteration (train.py:3: model.train)", self.stderr)
        self.write("train.py", "model = make()\nimport mindspore\n"
                   "model.train(1, data, dataset_sink_mode=False)\n")
        self.inject(1, script, *arguments)
        self.assertNotIn(said, self.stderr)

    def test_a_file_of_settings_that_is_here_and_wrong_is_refused(self):
        script = self.write("train.py", "from mindspore import Model\nModel(net).train(1, data)\n")
        place = self.folder / "settings.json"
        dump = ("--framework", "mindspore", "--tool", "dump", "--set", f"dump_config={place}")
        recorder = ("--tool", "context", "--set", f"env_config_path={place}")
        for text, options, said in (
                ("[1, 2]", dump, "settings.json:1:1: "),
                ("{", dump, "settings.json:1:2: "),
                (dump_config(dump_mode=7), dump,
                 "#/common_dump_settings/dump_mode: cannot be 7; the choices are 0, 1, 2"),
                ('{"rdr": {"enable": true, "path": "rdr"}}', recorder,
                 '#/rdr/path: is "rdr"; write an absolute path')):
            place.write_text(text)
            before = program.tree_of(self.folder)
            self.inject(2, script, "--in-place", *options)
            self.assertIn(said, self.stderr)
            self.assertEqual(program.tree_of(self.folder), before)
        place.unlink()  # a file of the training machine
        self.inject(0, script, *recorder)
        place.mkdir()
        self.inject(2, script, *recorder)
        self.assertIn(f"{place}: this is a folder; name the JSON file", self.stderr)

    def test_the_diff_is_printed_where_no_place_is_given(self):
        script = self.write("script.py", SCRIPT)
        self.inject(0, script, "--dump-path", "/d")
        self.assertIn('+custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/d")',
                      self.stdout)
        self.assertEqual(script.read_text(), SCRIPT)

    def test_sites_are_listed_without_writing(self):
        script = self.write("script.py", SCRIPT)
        self.inject(0, script, "--list", "--dump-path", "/d")
        self.assertEqual(self.stdout, "script.py:5:24: npu_config_proto: "
                                      "sets enable_dump, dump_path on config\n")
        self.inject(0, script, "--list", "--dump-path", "/d", "--lang", "zh")
        self.assertIn("对 config 设置 enable_dump, dump_path", self.stdout)
        self.assertEqual(script.read_text(), SCRIPT)

    def test_in_place_can_be_undone_and_removed(self):
        script = self.write("project/script.py", SCRIPT)
        self.inject(0, self.folder / "project", "--in-place", "--dump-path", "/d")
        self.assertIn("enable_dump", script.read_text())
        self.run_for(0, "migrate", self.folder / "project", "--undo")
        self.assertEqual(script.read_text(), SCRIPT)
        self.inject(0, self.folder / "project", "--in-place", "--dump-path", "/d")
        self.inject(0, self.folder / "project", "--in-place", "--remove")
        self.assertEqual(script.read_text(), SCRIPT)
        self.inject(1, self.folder / "project", "--in-place", "--remove")
        self.assertIn("nothing was injected here", self.stderr)

    def test_comments_that_were_edited_are_left_and_reported(self):
        text = SCRIPT + "# transplt-inject: begin\nprint(1)\n"
        script = self.write("script.py", text)
        self.inject(0, script, "--remove", "--in-place")
        self.assertIn("this comment was edited or moved", self.stderr)
        self.assertEqual(script.read_text(), text)

    def test_comments_in_a_string_literal_are_the_users_text(self):
        text = SCRIPT + 'TEXT = """\n# transplt-inject: begin\nb\n# transplt-inject: end\n"""\n'
        script = self.write("script.py", text)
        self.inject(1, script, "--remove", "--in-place")
        self.assertIn("nothing was injected here", self.stderr)
        self.inject(0, script, "--in-place", "--dump-path", "/d")
        self.assertNotEqual(script.read_text(), text)
        self.inject(0, script, "--remove", "--in-place")
        self.assertEqual(script.read_text(), text)

    def test_a_block_whose_own_statements_the_user_removed_keeps_a_body(self):
        loop = "import torch\nfor x in range(2):\n    if x:\n        loss = x\n" \
               "        loss.backward()\n"
        script = self.write("train.py", loop)
        self.inject(0, script, "--in-place", "--dump-path", "/d")
        text = script.read_text()
        part = "        # transplt-inject: begin\n        f()\n        # transplt-inject: end\n"
        script.write_text(text.replace("        loss = x\n        loss.backward()\n", part))
        self.inject(0, script, "--in-place", "--remove")
        self.assertEqual(script.read_text(),
                         "import torch\nfor x in range(2):\n    if x:\n        pass\n")

    def test_a_changed_option_is_changed_in_place_and_still_removed(self):
        script = self.write("script.py", SCRIPT)
        self.inject(0, script, "--in-place", "--dump-path", "/d", "--dump-step", "1")
        self.inject(0, script, "--in-place", "--dump-path", "/e", "--dump-mode", "all")
        text = script.read_text()
        self.assertIn('["dump_path"].s = tf.compat.as_bytes("/e")', text)
        self.assertIn('["dump_step"].s = tf.compat.as_bytes("1")', text)
        self.assertIn('["dump_mode"].s = tf.compat.as_bytes("all")', text)
        self.assertEqual(text.count("custom_optimizers.add()"), 1)
        self.inject(0, script, "--in-place", "--remove")
        self.assertEqual(script.read_text(), SCRIPT)

    def test_an_opposite_switch_is_refused_unless_it_may_be_replaced(self):
        optimizer = "config.graph_options.rewrite_options.custom_optimizers.add()"
        text = SCRIPT.replace("config = tf.ConfigProto()\n", f"""config = tf.ConfigProto()
op = {optimizer}
op.name = "NpuOptimizer"
op.parameter_map["enable_dump_debug"].b = True
""")
        script = self.write("project/script.py", text)
        self.write("project/other.py", SCRIPT)
        before = program.tree_of(self.folder)
        for place in (["--in-place"], ["-o", self.folder / "out"], []):
            self.inject(2, self.folder / "project", *place, "--dump-path", "/d")
            self.assertIn("script.py:7:43: enable_dump_debug is True here and excludes enable_dump: "
                          "nothing was changed; --replace sets it to False", self.stderr)
            self.assertEqual(self.stdout, "")
            self.assert_nothing_written(before)
        self.write("project/third.py", text)
        self.inject(2, self.folder / "project", "--dump-path", "/d", "--lang", "zh")
        self.assertIn("(另有 1 处: 见 --list)", self.stderr)
        self.inject(0, self.folder / "project", "--list", "--dump-path", "/d")
        self.assertIn("script.py:7:43: enable_dump_debug: enable_dump_debug is True here",
                      self.stdout)
        self.inject(0, script, "--in-place", "--dump-path", "/d", "--replace")
        self.assertIn('["enable_dump_debug"].b = False', script.read_text())

    def test_an_opposite_switch_of_a_class_or_of_npu_device_is_refused_too(self):
        self.write("a.py", "from npu_bridge.npu_init import *\n"
                   'NPURunConfig(dump_config=DumpConfig(enable_dump_debug=True, dump_path="/d"))\n')
        self.write("b.py", "import npu_device as npu\n"
                   "npu.global_options().dump_config.enable_dump_debug = True\nnpu.open()\n")
        for script, place in (("a.py", "a.py:2:55"), ("b.py", "b.py:2:54")):
            self.inject(2, self.folder / script, "--dump-path", "/d")
            self.assertIn(f"{place}: enable_dump_debug is True here", self.stderr)

    def test_mistakes_of_existing_scripts_are_found(self):
        script = self.write("script.py", """import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
op = config.graph_options.rewrite_options.custom_optimizers.add()
op.name = "Npuoptimizer"
other = config.graph_options.rewrite_options.custom_optimizers.add()
other.name = "NpuOptimizer"
other.parameter_map["jit_compile"].b = True
other.parameter_map["sump_mode"].s = tf.compat.as_bytes("all")
other.parameter_map["enable_dump"].b = True
other.parameter_map["enable_dump_debug"].b = True
other.parameter_map["dump_path"].s = tf.compat.as_bytes("/d")
other.parameter_map["dump_step"].s = tf.compat.as_bytes("0||5")
other.parameter_map["min_group_size"].b = 1
dump_config = DumpConfig(enable_dump=True, dump_step="3")
run_config = NPURunConfig(session_config=config, dump_config=dump_config)
init_resource(config=config)
""")
        self.inject(1, script, "--lint")
        for line, text in ((6, "the NPU ignores an optimizer that is called Npuoptimizer"),
                           (9, "jit_compile is read from .s: what .b holds is ignored"),
                           (10, "called sump_mode: it is ignored; did you mean dump_mode?"),
                           (11, "enable_dump and enable_dump_debug exclude each other"),
                           (14, 'as in 0|3-5|10; "" is neither'),
                           (16, "enable_dump needs dump_path"),
                           (11, "NPURunConfig overrides enable_dump of its session_config"),
                           (9, "initialize_system does not read jit_compile")):
            self.assertRegex(self.stderr, rf"script.py:{line}:\d+: lint-tensorflow: .*" +
                             text.replace("|", r"\|").replace("?", r"\?"))
        self.assertNotIn("min_group_size is", self.stderr)
        self.inject(0, self.write("right.py", SCRIPT), "--lint")
        self.assertEqual(self.stdout, "")

    def test_options_that_exclude_each_other_are_refused(self):
        script = self.write("script.py", SCRIPT)
        self.inject(2, script, "--in-place", "-o", self.folder / "out", "--dump-path", "/d")
        self.assertIn("--in-place and -o exclude each other", self.stderr)
        self.inject(2, script, "--remove", "--list")
        self.assertIn("--remove, --list and --lint exclude each other", self.stderr)
        self.inject(2, script, "--lint", "-o", self.folder / "out")
        self.assertIn("--list and --lint write nothing", self.stderr)

    def test_each_tool_of_pytorch_takes_the_version_of_torch(self):
        script = self.write("train.py", "import torch\nfor x in range(2):\n    loss = x\n"
                            "    loss.backward()\n    optimizer.step()\n")
        for tool, options in (("msprobe", ("--dump-path", "/d")), ("ptdbg", ("--dump-path", "/d")),
                              ("capture", ("--dump-path", "/d")),
                              ("dumper", ("--dump-path", "/d")), ("aoe", ("--dump-path", "/d")),
                              ("init-dump", ("--set", "dump_config=/d.json")), ("op-list", ()),
                              ("set-option", ("--set", "ACL_OP_DEBUG_LEVEL=0"))):
            with self.subTest(tool=tool):
                self.inject(0, script, "--tool", tool, *options)
                plain = self.stdout
                self.inject(0, script, "--tool", tool, "--torch-version", "1.11.0", *options)
                self.assertEqual(self.stdout, plain)

    def test_what_a_training_step_calls_is_no_step_of_its_own(self):
        script = self.write("train.py", """import torch


def pick(x):
    return perturb(x)


def perturb(x):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        loss = model(x + delta).sum()
        loss.backward()
        delta.data += delta.grad.sign()
    return delta.detach()


def pretrain(model):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()


pretrain(model)
for x in loader:
    x = x + pick(x)
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
""")
        for options, lines in (
                (("--tool", "msprobe", "--dump-path", "/d"), ("debugger.start()", "debugger.step()")),
                (("--tool", "torch-npu-profiler", "--set", "profiler_result_path=/p"),
                 ("npu_prof.start()", "npu_prof.step()", "npu_prof.stop()"))):
            self.inject(0, script, *options)
            self.assertIn("Sites: 2 in 1 files", self.stderr)
            for line in lines:
                self.assertEqual(self.stdout.count(line), 2, line)
            self.assertNotIn("delta", "".join(part for part in self.stdout.splitlines()
                                              if part.startswith("+")))
            hunks = self.stdout.split("@@")
            self.assertFalse([hunk for hunk in hunks if "range(3)" in hunk and "+    " in hunk])

    def test_the_framework_is_that_of_the_scripts(self):
        loop = "import torch\nfor x in range(2):\n    loss = x\n    loss.backward()\n"
        script = self.write("train.py", loop)
        self.inject(0, script, "--dump-path", "/d")
        self.assertIn("+from msprobe.pytorch import PrecisionDebugger", self.stdout)

    def test_tests_of_a_project_of_pytorch_are_left_alone(self):
        loop = "import torch\nfor x in range(2):\n    loss = x\n    loss.backward()\n"
        self.write("project/tests/test_a.py", loop)
        self.write("project/train.py", loop)
        self.write("project/finetune.py", loop)
        self.inject(0, self.folder / "project", "--dump-path", "/d", "--list")
        self.assertEqual([line.split(":")[0] for line in self.stdout.splitlines()],
                         ["finetune.py", "train.py"])
        self.assertIn("2 files have training steps, and each makes its own debugger", self.stderr)

    def test_tools_can_be_used_together_and_removed_together(self):
        text = "import torch\nfor x in range(2):\n    loss = x\n    loss.backward()\n"
        script = self.write("train.py", text)
        self.inject(0, script, "--in-place", "--tool", "ptdbg", "--dump-path", "/d")
        self.inject(0, script, "--in-place", "--tool", "prof", "--set", "profiler_result_path=/p",
                    "--set", "start_step=1", "--set", "stop_step=2")
        self.assertIn("debugger.start()", script.read_text())
        self.assertIn("torch.npu.prof_stop()", script.read_text())
        before = script.read_text()
        self.inject(0, script, "--in-place", "--tool", "ptdbg", "--dump-path", "/d")
        self.assertEqual(script.read_text(), before)
        self.inject(0, script, "--in-place", "--remove")
        self.assertEqual(script.read_text(), text)

    def test_the_folder_is_made_on_request(self):
        script = self.write("script.py", SCRIPT)
        self.inject(0, script, "--dump-path", "/d", "--make-folder")
        self.assertIn('+os.makedirs("/d", exist_ok=True)', self.stdout)
        self.assertIn("+import os", self.stdout)

    def test_a_project_with_one_file_that_is_no_program_is_injected_all_the_same(self):
        self.write("project/train.py", SCRIPT)
        self.write("project/broken.py", "from npu_bridge.npu_init import *\ndef f(:\n" + SCRIPT)
        self.write("project/python2.py", SCRIPT + "print 'done'\n")
        self.write("project/binary.py", b"npu_bridge\0\1\2")
        self.inject(1, self.folder / "project", "-o", self.folder / "out", "--dump-path", "/d")
        self.assertIn("binary.py: skipped", self.stderr)
        out = self.folder / "out" / "project"
        self.assertIn("enable_dump", (out / "train.py").read_text())
        self.assertIn("enable_dump", (out / "python2.py").read_text())


if __name__ == "__main__":
    unittest.main()
