#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the vendor's guides to dumps of TensorFlow and MindSpore describe, each in a whole program: the
injected program runs on the stand-in, and its options arrive where the device reads them."""

import importlib.util
import json
import pathlib
import sys
import unittest

import numpy as np

sys.dont_write_bytecode = True

import dump_files  # noqa: E402
import program  # noqa: E402

STAND_INS = pathlib.Path(__file__).resolve().parents[1] / "stand_ins"

IMPORTS = "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n"
MODEL = """
def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])

"""
ESTIMATOR = """
def main(_):
    {config}run_config = tf.estimator.RunConfig({argument}save_checkpoints_secs=60)
    classifier = tf.estimator.Estimator(
        model_fn=model_fn, config=npu_run_config_init(run_config=run_config))
    classifier.train(input_fn=input_fn, max_steps=1)

"""
MAIN = "\nif __name__ == '__main__':\n"
START = "    tf.app.run()\n"
RESOURCE = ("    {config}(npu_sess, npu_shutdown) = init_resource({argument})\n" + START +
            "    shutdown_resource(npu_sess, npu_shutdown)\n    close_session(npu_sess)\n")
PLAIN_RESOURCE = RESOURCE.format(config="", argument="")
NEW_CONFIG = "session_config = tf.ConfigProto(allow_soft_placement=True)\n    "
SESSION = """
def main(_):
    session_config = tf.ConfigProto(allow_soft_placement=True)
    config = npu_config_proto(config_proto=session_config)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())

"""
KERAS = """
def main(_):
    config_proto = tf.ConfigProto(allow_soft_placement=True)
    npu_keras_sess = set_keras_session_npu_config(config=config_proto)
    model = tf.keras.Sequential()
    model.compile(optimizer="sgd", loss="mse")
    model.fit([[0.0]], [[0.0]])
    close_session(npu_keras_sess)

"""
# As a script that was migrated by hand configures a session.
BY_HAND = """config = tf.ConfigProto(allow_soft_placement=True)
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
"""
SYSTEM = """npu_init = npu_ops.initialize_system()
npu_shutdown = npu_ops.shutdown_system()
"""
HCCL = "from hccl.manage.api import get_rank_id\n"

# The events whose configuration must have the options; how often each comes.
PROGRAMS = {
    "an Estimator with init_resource":
        (IMPORTS + MODEL + ESTIMATOR.format(config="", argument="") + MAIN + PLAIN_RESOURCE,
         {"session": 1, "initialize_system": 1, "estimator": 1}),
    "an Estimator with init_resource and its configuration":
        (IMPORTS + MODEL + ESTIMATOR.format(config="", argument="") + MAIN +
         RESOURCE.format(config=NEW_CONFIG, argument="config=session_config"),
         {"session": 1, "initialize_system": 1, "estimator": 1}),
    "an Estimator without session_config":
        (IMPORTS + MODEL + ESTIMATOR.format(config="", argument="") + MAIN + START,
         {"estimator": 1}),
    "an Estimator with session_config":
        (IMPORTS + MODEL + ESTIMATOR.format(config=NEW_CONFIG,
                                            argument="session_config=session_config, ") +
         MAIN + START, {"estimator": 1}),
    "an Estimator by hand":
        (IMPORTS + MODEL + "session_config = tf.ConfigProto(allow_soft_placement=True)\n"
         "config = NPURunConfig(session_config=session_config)\n"
         "NPUEstimator(model_fn=model_fn, config=config).train(input_fn=input_fn, max_steps=1)\n",
         {"estimator": 1}),
    "sess.run with init_resource":
        (IMPORTS + SESSION + MAIN + PLAIN_RESOURCE, {"session": 2, "initialize_system": 1}),
    "sess.run":
        (IMPORTS + SESSION + MAIN + START, {"session": 1}),
    "sess.run by hand":
        (IMPORTS + BY_HAND + "with tf.Session(config=config) as sess:\n"
         "    sess.run(tf.constant(1))\n", {"session": 1}),
    "keras with init_resource":
        (IMPORTS + KERAS + MAIN + PLAIN_RESOURCE, {"session": 2, "initialize_system": 1}),
    "keras":
        (IMPORTS + KERAS + MAIN + START, {"session": 1}),
    "keras by hand":
        (IMPORTS + "from tensorflow.python.keras import backend as K\n" + BY_HAND +
         "K.set_session(tf.Session(config=config))\nmodel = tf.keras.Sequential()\n"
         "model.compile(optimizer='sgd', loss='mse')\nmodel.fit([[0.0]], [[0.0]])\n",
         {"session": 1}),
    "initialize_system in a session of its own":
        (IMPORTS + HCCL + SYSTEM + BY_HAND + "init_sess = tf.Session(config=config)\n"
         "init_sess.run(npu_init)\nrank = get_rank_id()\n"
         "with tf.Session(config=npu_config_proto()) as sess:\n    sess.run(tf.constant(rank))\n"
         "init_sess.run(npu_shutdown)\ninit_sess.close()\n",
         {"session": 2, "initialize_system": 1}),
    "initialize_system in the session of the training":
        (IMPORTS + HCCL + SYSTEM + BY_HAND + "with tf.Session(config=config) as sess:\n"
         "    sess.run(npu_init)\n    sess.run(tf.constant(get_rank_id()))\n"
         "    sess.run(npu_shutdown)\n", {"session": 1, "initialize_system": 1}),
}
DUMP = {"dump_step": "0|5|10", "dump_mode": "all", "dump_layer": "node1 node2 node3"}

# The names that the table of submodules has.
SUBMODULES = """KERNEL PRE_ACT SESSION COMMON DEBUG ANALYZER OPTIMIZER PARALLEL MD PIPELINE PARSER PYNATIVE
PROFILER DEVICE GE_ADPT EXPRESS UTILS VM ME CORE""".split()


def stand_in(name):
    spec = importlib.util.spec_from_file_location(f"guides_on_{name}",
                                                  STAND_INS / name / "run_script.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TensorFlow(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.dump = self.folder / "data"
        self.dump.mkdir()

    def inject(self, text, *options):
        script = self.write("train.py", text)
        self.run_for(0, "inject-dump-config", script, "--in-place", *options)
        return script

    def options_of(self, script, wanted, **environment):
        """By event: the options of each configuration that counts."""
        process, events = stand_in("tensorflow_npu").run_script(script, **environment)
        self.assertEqual(process.returncode, 0, process.stderr)
        found = {name: [] for name in wanted}
        for event in events:
            if event["event"] in found:
                options = event["config"]["options"]
                found[event["event"]].append(
                    {name: next(iter(value.values())) for name, value in options.items()})
                self.assertEqual(event["config"]["rewrite"].get("memory_optimization"), "OFF")
        self.assertEqual({name: len(options) for name, options in found.items()}, wanted)
        return [options for of_event in found.values() for options in of_event]

    def test_a_dump_reaches_each_place_that_the_guide_names_and_is_taken_out_again(self):
        wanted = {"enable_dump": True, "dump_path": str(self.dump), **DUMP}
        for name, (text, events) in PROGRAMS.items():
            with self.subTest(name):
                script = self.inject(text, "--dump-path", self.dump, "--dump-step",
                                     DUMP["dump_step"], "--dump-mode", DUMP["dump_mode"],
                                     "--dump-layer", DUMP["dump_layer"])
                for options in self.options_of(script, events):
                    self.assertEqual({key: options.get(key) for key in wanted}, wanted)
                self.run_for(0, "inject-dump-config", script, "--in-place", "--remove")
                self.assertEqual(script.read_text(), text)

    def test_a_dump_of_one_rank_is_on_there_and_off_elsewhere(self):
        for name, (text, events) in PROGRAMS.items():
            with self.subTest(name):
                script = self.inject(text, "--dump-path", self.dump, "--dump-step", "20",
                                     "--dump-mode", "output", "--rank", "7")
                for rank in ("7", "0", None):
                    environment = {"RANK_ID": rank, "RANK_SIZE": "8"} if rank else {}
                    for options in self.options_of(script, events, **environment):
                        self.assertEqual(options["enable_dump"], rank == "7")

    def test_what_initialize_system_does_not_read_goes_to_the_other_place(self):
        for name, (text, events) in PROGRAMS.items():
            if "init_resource" not in name:
                continue
            with self.subTest(name):
                script = self.inject(text, "--dump-path", self.dump, "--set", "jit_compile=false")
                found = self.options_of(script, events)
                others = sum(events.values()) - 2  # init_resource has a session that it runs in
                self.assertEqual(sum("jit_compile" in options for options in found), others)
                self.assertTrue(all(options["enable_dump"] for options in found))

    def test_every_option_of_initialize_system_arrives_there(self):
        options = {"profiling_mode": True, "profiling_options": "training_trace:task_trace",
                   "fp_point": "first", "bp_point": "last", "enable_dump": True,
                   "dump_path": str(self.dump), "dump_step": "0|3-5|10", "dump_mode": "output",
                   "precision_mode": "allow_fp32_to_fp16", "graph_run_mode": 1, "op_debug_level": 3,
                   "enable_exception_dump": 1, "op_select_implmode": "high_precision",
                   "optypelist_for_implmode": "Pooling"}
        overflow = {"enable_dump_debug": True, "dump_path": str(self.dump),
                    "dump_debug_mode": "aicore_overflow"}
        text, events = PROGRAMS["initialize_system in a session of its own"]
        for wanted in (options, overflow):
            given = [word for name, value in wanted.items()
                     for word in ("--set", f"{name}={str(value).lower()}"
                                  if isinstance(value, bool) else f"{name}={value}")]
            for found in self.options_of(self.inject(text, *given), events):
                self.assertEqual({key: found.get(key) for key in wanted}, wanted)

    def test_a_folder_that_is_relative_or_missing_is_made_where_the_program_starts(self):
        text, events = PROGRAMS["sess.run"]
        script = self.inject(text, "--dump-path", "output", "--dump-step", "0", "--make-folder")
        self.assertEqual(self.options_of(script, events)[0]["dump_path"], "output")
        self.assertTrue((script.parent / "output").is_dir())


class MindSpore(program.ProgramTest):
    COMMON = {"dump_mode": 0, "path": "/absolute_path", "net_name": "ResNet50", "iteration": 0,
              "input_output": 0, "kernels": ["Default/Conv-op12"],
              "support_device": list(range(8))}
    SYNCHRONOUS = {"e2e_dump_settings": {"enable": True, "trans_flag": False}}
    ASYNCHRONOUS = {"async_dump_settings": {"enable": True, "op_debug_mode": 0}}

    def check(self, code, settings):
        self.write("data_dump.json", json.dumps({"common_dump_settings": self.COMMON, **settings}))
        return self.run_for(code, "doctor", "data_dump.json").stdout.decode()

    def test_the_files_of_the_guide_are_right_and_told_what_they_do_not_do(self):
        for settings in (self.SYNCHRONOUS, self.ASYNCHRONOUS):
            self.assertIn("note: not read: dump_mode 0 dumps all operators", self.check(0, settings))

    def test_of_both_dumps_only_the_synchronous_one_would_run(self):
        said = self.check(1, {**self.SYNCHRONOUS, **self.ASYNCHRONOUS})
        self.assertIn("#/async_dump_settings/enable: the synchronous and the asynchronous dump "
                      "exclude each other: only the synchronous one would run", said)

    def test_the_files_of_the_guide_are_what_generate_writes(self):
        for option, settings in (("--sync", self.SYNCHRONOUS), ("--async", self.ASYNCHRONOUS)):
            result = self.run_for(0, "generate", "mindspore-dump", option, "--dump-mode", "0",
                                  "--path", "/absolute_path", "--net-name", "ResNet50",
                                  "--kernels", "Default/Conv-op12")
            self.assertEqual(json.loads(result.stdout),
                             {"common_dump_settings": self.COMMON, **settings})

    def test_each_setting_of_a_dump_can_be_chosen(self):
        common = {"dump_mode": 1, "path": "/absolute_path", "net_name": "Net", "iteration": 3,
                  "input_output": 2, "kernels": ["Default/Conv-op12", "Default/Add-op1"],
                  "support_device": [0, 7]}
        given = ("generate", "-o", "any_name.json", "--force", "mindspore-dump", "--dump-mode", "1",
                 "--path", "/absolute_path", "--net-name", "Net", "--iteration", "3",
                 "--input-output", "2", "--kernels", "Default/Conv-op12", "--kernels",
                 "Default/Add-op1", "--support-device", "0,7")
        for options, settings, notes in (
                (("--sync", "--trans-flag", "true"),
                 {"e2e_dump_settings": {"enable": True, "trans_flag": True}}, ()),
                (("--async", "--op-debug-mode", "3"),
                 {"async_dump_settings": {"enable": True, "op_debug_mode": 3}},
                 ("only operators that overflow are dumped; write 0 to dump the others too",
                  "without data sinking an asynchronous dump wants 0"))):
            said = self.run_for(0, *given, *options).stderr.decode()
            said += self.run_for(0, "doctor", "any_name.json").stdout.decode()
            written = json.loads((self.folder / "any_name.json").read_text())
            self.assertEqual(written, {"common_dump_settings": common, **settings})
            for note in notes:
                self.assertIn(note, said)

    def test_what_a_dump_costs_is_said_where_it_is_chosen(self):
        told = self.run_for(0, "generate", "mindspore-dump", "--options").stdout.decode()
        self.assertIn("synchronous dump: for networks that need little memory, whose reuse it "
                      "switches off", told)
        self.assertIn("asynchronous dump: on Ascend in graph mode only; memory is reused as usual",
                      told)
        note = ("only operators of TBE, the AI CPU and communication can be named here; of one of "
                "communication the inputs are dumped")
        for settings, is_said in ((self.ASYNCHRONOUS, True), (self.SYNCHRONOUS, False)):
            self.assertEqual(note in self.check(0, settings), is_said)

    def test_its_dumps_are_read_where_the_guide_says_that_they_lie(self):
        array = np.arange(36, dtype=np.float32).reshape(1, 3, 3, 4)
        synchronous = self.write(
            "sync/ResNet50/device_0/iteration_0/Default--Add-op1_input_0_shape_1_3_3_4_Float32_"
            "DefaultFormat.bin", array.tobytes())
        self.write("async/0/ResNet50_graph_0/0/1/Add.Default_Add-op1.2.161243956333802",
                   dump_files.ge_bytes(inputs=[array]))
        by_hand = np.fromfile(synchronous, np.float32).reshape(1, 3, 3, 4)
        for kind, path in (("sync", "ResNet50/device_0/iteration_0/Default--Add-op1_input_0.npy"),
                           ("async", "0/ResNet50_graph_0/0/1/Add.Default_Add-op1.2."
                            "161243956333802.input.0.npy")):
            self.run_for(0, "dump", "convert", kind, "-o", f"{kind}_npy")
            np.testing.assert_array_equal(np.load(self.folder / f"{kind}_npy" / path), by_hand)
        self.run_for(0, "compare", "sync", "async")

    def test_the_level_of_each_submodule_can_be_set_and_of_no_other(self):
        for name in SUBMODULES:
            result = self.run_for(0, "generate", "env", "--MS_SUBMODULE_LOG_v", f"{{{name}:2}}")
            self.assertIn(f"export MS_SUBMODULE_LOG_v='{{{name}:2}}'\n", result.stdout.decode())
        for wrong in ("{OPTIMISER:2}", "{KERNEL:4}", "KERNEL:2", "{KERNEL:1;VM:2}"):
            self.run_for(2, "generate", "env", "--MS_SUBMODULE_LOG_v", wrong)

    def test_the_recorder_is_configured_as_in_the_guide(self):
        given = ("generate", "mindspore-rdr", "--path")
        result = self.run_for(0, *given, "/home/mindspore/rdr")
        self.assertEqual(json.loads(result.stdout),
                         {"rdr": {"enable": True, "path": "/home/mindspore/rdr"}})
        self.assertIn("write an absolute path", self.run_for(2, *given, "rdr").stderr.decode())

    def test_both_logs_of_mindspore_are_explained(self):
        line = ("[ERROR] DEVICE(55,7f,python):2021-02-05 Device(id:0) memory isn't enough and alloc "
                "failed, kernel name: Default/Conv2D-op1\n")
        for name in ("mindspore.host.user.log.ERROR.20210205-120000.55", "mindspore.log"):
            self.write(name, line)
            result = self.run_for(0, "explain-error", name)
            self.assertIn("a synchronous dump needs more", result.stdout.decode())

    def test_print_is_given_each_tensor_that_construct_gets(self):
        script = self.write("demo.py", "from mindspore import Tensor\nimport mindspore.nn as nn\n"
                            "import mindspore.context as context\n\n"
                            "context.set_context(mode=context.GRAPH_MODE)\n\n\n"
                            "class Demo(nn.Cell):\n    def __init__(self):\n"
                            "        super(Demo, self).__init__()\n\n"
                            "    def construct(self, x, y):\n        return x\n\n\n"
                            "Demo()(Tensor([[1], [1]]), Tensor([[1, 1], [1, 1]]))\n")
        self.run_for(0, "inject-dump-config", script, "--in-place", "--tool", "print", "--set",
                     "cell=Demo")
        process, events = stand_in("mindspore").run_script(script)
        self.assertEqual(process.returncode, 0, process.stderr)
        printed = [event["arguments"] for event in events if event["event"] == "Print"]
        self.assertEqual(printed, [["x:", "Tensor", "y:", "Tensor"]])

    def test_variables_are_set_before_communication_starts(self):
        script = self.write("train.py", "from mindspore import Model\n"
                            "from mindspore.communication.management import init\n\ninit()\n"
                            "Model(None).train(1, [])\n")
        self.run_for(0, "inject-dump-config", script, "--in-place", "--tool", "log", "--set",
                     "GLOG_v=1", "--set", "MS_SUBMODULE_LOG_v={PARSER:2,ANALYZER:2}")
        process, events = stand_in("mindspore").run_script(script)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(events[0], {"event": "import", "environment": {
            "GLOG_v": "1", "MS_SUBMODULE_LOG_v": "{PARSER:2,ANALYZER:2}"}})


if __name__ == "__main__":
    unittest.main()
