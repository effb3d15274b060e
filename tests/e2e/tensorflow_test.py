#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts of TensorFlow 1 and 2 are migrated and run on the stand-in that records what the NPU is told."""

import pathlib
import sys
import textwrap
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, tree_of  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "stand_ins/tensorflow_npu"))
from run_script import events, run_script  # noqa: E402

NPU = ["NpuOptimizer"]


class TensorflowTest(ProgramTest):
    def migrate(self, text, *options, others=None):
        """The migrated script, which migrating again leaves as it is."""
        self.write("project/train.py", textwrap.dedent(text))
        for name, content in (others or {}).items():
            self.write(f"project/{name}", textwrap.dedent(content))
        result = self.run_for(0, "migrate", "project", "-o", "out", "--force", "--list", "all",
                              *options)
        self.stderr = result.stderr.decode()
        migrated = self.folder / "out/project_msft"
        self.run_for(0, "migrate", migrated, "-o", "again", "--force", *options)
        again = tree_of(self.folder / "again/project_msft_msft")
        for name, content in tree_of(migrated).items():
            if name.endswith(".py"):
                self.assertEqual(again[name], content)
        return (migrated / "train.py").read_text(encoding="utf-8")

    def run_migrated(self, *arguments, code=0, **options):
        """What the migrated script tells the NPU."""
        process, record = run_script(self.folder / "out/project_msft/train.py", *arguments,
                                     **options)
        self.assertEqual(process.returncode, code, process.stderr)
        self.stdout = process.stdout
        return record

    def configs(self, record, event="session"):
        return [entry["config"] for entry in events(record, event)]


class Sessions(TensorflowTest):
    def test_a_session_with_a_feed_dictionary_runs_with_the_optimizer_of_the_npu(self):
        self.migrate("""
            import os
            import requests
            import tensorflow as tf
            x = tf.placeholder(tf.float32, [None, 4])
            step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(x))
            config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
            with tf.Session(config=config) as sess:
                sess.run(tf.global_variables_initializer())
                for i in range(3):
                    sess.run(step, feed_dict={x: [[1, 2, 3, 4]]})
            print(requests.Session())
            """, others={"requests.py": "class Session:\n    def __init__(self):\n        pass\n"})
        record = self.run_migrated()
        config, = self.configs(record)
        self.assertEqual(config["optimizers"], NPU)
        self.assertEqual(config["rewrite"], {"memory_optimization": "OFF", "remapping": "OFF"})
        self.assertTrue(config["allow_soft_placement"])
        self.assertEqual([run["fed"] for run in events(record, "run")], [0, 1, 1, 1])

    def test_every_way_to_a_session_is_taken_to_the_npu(self):
        self.migrate("""
            import tensorflow.compat.v1 as tf1
            from tensorflow import InteractiveSession
            from tensorflow.contrib import slim
            a = tf1.Session('', tf1.Graph(), None)
            b = InteractiveSession()
            with tf1.train.MonitoredTrainingSession(config=tf1.ConfigProto()) as c:
                while not c.should_stop():
                    c.run(1)
            sv = tf1.train.Supervisor(logdir='log')
            with sv.managed_session() as d:
                pass
            e = sv.prepare_or_wait_for_session('', config=tf1.ConfigProto())
            slim.learning.train(None, 'log')
            with tf1.train.MonitoredSession() as f:
                f.run(1)
            with tf1.train.MonitoredSession(tf1.train.WorkerSessionCreator(), hooks=[]) as g:
                g.run(1)
            """)
        record = self.run_migrated()
        self.assertEqual(len(events(record, "session")), 8)
        for session in events(record, "session"):
            self.assertEqual(session["config"]["optimizers"], NPU)
            self.assertFalse(session["by_decorator"], session)

    def test_what_cannot_be_converted_is_reported_with_its_line_and_still_runs(self):
        self.migrate("""
            import tensorflow as tf
            options = {"config": tf.ConfigProto()}
            sess = tf.Session(**options)
            """)
        self.assertIn("train.py:4:8: tf.Session: whether Session gets config", self.stderr)
        self.assertIn("sess = tf.Session(**options)", self.stderr)
        self.run_migrated()

    def test_xla_is_switched_off_wherever_it_was_switched_on(self):
        self.migrate("""
            import tensorflow as tf
            config = tf.ConfigProto(graph_options=tf.GraphOptions(
                optimizer_options=tf.OptimizerOptions(global_jit_level=tf.OptimizerOptions.ON_2)))
            config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
            tf.Session(config=config)
            """)
        self.assertEqual(self.configs(self.run_migrated())[0]["global_jit_level"], -1)
        self.assertIn("global_jit_level: XLA compiles for GPUs", self.stderr)

    def test_devices_dropout_gelu_and_batches(self):
        self.migrate("""
            import numpy as np
            import tensorflow as tf
            def gelu(x):
                cdf = 0.5 * (1.0 + tf.tanh((np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3)))))
                return x * cdf
            a, b = 0.1, 0.2
            for i in range(2):
                with tf.device("/gpu:%d" % i):
                    y = gelu(tf.nn.dropout(tf.placeholder(tf.float32), rate=a + b))
            data = tf.data.Dataset.range(10).map(abs).batch(3)
            tf.train.AdamOptimizer(0.1).minimize(y)
            print(1 - (a + b))
            """)
        record = self.run_migrated(TRANSPLT_RECORD_TF="device,batch")
        dropout, gelu = events(record, "npu")[:2]
        self.assertAlmostEqual(dropout["keywords"]["keep_prob"], 0.7)
        self.assertEqual(gelu["name"], "npu_unary_ops.gelu")
        calls = events(record, "tf")
        self.assertEqual([c["arguments"] for c in calls], [["/cpu:0"], ["/cpu:0"], [3]])
        self.assertEqual(calls[2]["keywords"], {"drop_remainder": True})

    def test_loss_scales(self):
        self.migrate("""
            import tensorflow as tf
            scale = tf.train.experimental.DynamicLossScale()
            fixed = tf.train.experimental.FixedLossScale(loss_scale_value=128)
            opt = tf.train.AdamOptimizer(0.1)
            opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, fixed)
            """)
        self.assertEqual([event["name"] for event in events(self.run_migrated(), "npu")],
                         ["ExponentialUpdateLossScaleManager", "FixedLossScaleManager",
                          "NPULossScaleOptimizer"])


class Estimators(TensorflowTest):
    SCRIPT = """
        import tensorflow as tf
        tf.app.flags.DEFINE_integer("steps", 3, "steps")
        def model_fn(features, labels, mode, params):
            if mode == tf.estimator.ModeKeys.PREDICT:
                return tf.estimator.EstimatorSpec(mode, predictions=features)
            loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
            step = tf.train.AdamOptimizer(0.1).minimize(loss)
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)
        def input_fn():
            data = tf.data.Dataset.from_tensor_slices(([[1.0]], [2.0]))
            return data.shuffle(10).repeat().batch(2).make_one_shot_iterator().get_next()
        def main(_):
            estimator = tf.estimator.Estimator({ESTIMATOR})
            estimator.train(input_fn, steps=tf.app.flags.FLAGS.steps)
            estimator.evaluate(input_fn)
        if __name__ == "__main__":
            tf.app.run()
        """

    def check(self, arguments, times=2):
        self.migrate(self.SCRIPT.replace("{ESTIMATOR}", arguments))
        record = self.run_migrated("--steps=2")
        runs = events(record, "estimator")
        self.assertEqual(len(runs), times)
        for run in runs:
            self.assertEqual(run["config"]["optimizers"], NPU)
            self.assertEqual(run["config"]["rewrite"]["memory_optimization"], "OFF")
        return runs

    def test_estimators_without_with_and_with_positional_configuration(self):
        self.check("model_fn")
        runs = self.check("model_fn, config=tf.estimator.RunConfig(model_dir='out', "
                          "session_config=tf.ConfigProto(log_device_placement=True))")
        self.assertFalse(runs[0]["config"]["log_device_placement"])
        self.assertEqual(runs[0]["run_config"]["model_dir"], "out")
        self.assertEqual(runs[0]["run_config"]["save_summary_steps"], 0)
        self.check("model_fn, 'out', tf.estimator.RunConfig(), {}")

    def test_an_estimator_for_tpus_is_one_for_other_devices(self):
        self.migrate("""
            import tensorflow as tf
            def model_fn(features, labels, mode, params):
                return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=features, train_op=labels)
            config = tf.contrib.tpu.RunConfig(master=None, model_dir='out')
            estimator = tf.contrib.tpu.TPUEstimator(
                use_tpu=True,
                model_fn=model_fn,
                config=config,
                train_batch_size=8)
            estimator.train(input_fn=lambda params: (params["batch_size"], 1), max_steps=1)
            """)
        self.assertEqual(self.configs(self.run_migrated(), "estimator")[0]["optimizers"], NPU)

    def test_several_functions_of_a_project_share_their_configuration(self):
        self.migrate("""
            from common import *
            import model
            if __name__ == "__main__":
                with tf.Session(config=get_config()) as sess:
                    sess.run(model.build())
            """, others={
                "common.py": "import tensorflow as tf\n\n\ndef get_config():\n"
                             "    return tf.ConfigProto()\n",
                "model.py": "from common import tf\n\n\ndef build():\n"
                            "    return tf.nn.dropout(tf.zeros([1]), keep_prob=0.5)\n"})
        record = self.run_migrated()
        self.assertEqual(self.configs(record)[0]["optimizers"], NPU)
        self.assertEqual(events(record, "run")[0]["fetches"], ["npu_ops.dropout"])


class Keras(TensorflowTest):
    MODEL = """
        model = tf.keras.models.Sequential([tf.keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse")
        model.fit([1], [1])
        """

    def test_a_script_of_keras_gets_a_session_and_closes_it(self):
        self.migrate("import tensorflow.compat.v1 as tf\n" + textwrap.dedent(self.MODEL))
        record = self.run_migrated()
        fit = events(record, "keras")[-1]
        self.assertEqual(fit["config"]["optimizers"], NPU)
        self.assertEqual(record[-1], {"event": "close", "session": fit["session"]})
        self.assertEqual(len(events(record, "session")), 1)

    def test_batches_that_are_trained_one_by_one_are_trained_in_a_session(self):
        self.migrate("""
            import tensorflow.compat.v1 as tf
            model = tf.keras.models.Sequential([tf.keras.layers.Dense(1)])
            model.compile(optimizer="sgd", loss="mse")
            for batch in range(3):
                model.train_on_batch([batch], [1])
            """)
        trained = events(self.run_migrated(), "keras")[1:]
        self.assertEqual([e["config"]["optimizers"] for e in trained], [NPU, NPU, NPU])

    def test_the_session_is_closed_when_training_fails(self):
        self.migrate("""
            import sys
            import tensorflow as tf
            tf.set_random_seed(1)
            def main():
                model = tf.keras.Sequential()
                model.compile("sgd")
                model.fit([1])
                sys.exit(3)
            if "__main__" == __name__:
                main()
            """)
        record = self.run_migrated(code=3)
        self.assertEqual(record[-1]["event"], "close")

    def test_a_script_with_its_own_session_gets_no_second_one(self):
        self.migrate("""
            import tensorflow as tf
            from keras import backend as K
            from keras.models import Sequential
            K.set_session(tf.Session(config=tf.ConfigProto()))
            model = Sequential()
            model.compile("sgd")
            model.fit([1])
            K.clear_session()
            """)
        record = self.run_migrated()
        self.assertEqual([s["config"]["optimizers"] for s in events(record, "session")], [NPU, NPU])
        self.assertEqual(len(events(record, "clear_session")), 1)


class Distributed(TensorflowTest):
    HOROVOD = """
        import tensorflow as tf
        import horovod.tensorflow as hvd
        def main(_):
            hvd.init()
            opt = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.1 * hvd.size()), name="opt")
            hooks = [hvd.BroadcastGlobalVariablesHook(0)]
            config = tf.ConfigProto()
            config.gpu_options.visible_device_list = str(hvd.local_rank())
            with tf.train.MonitoredTrainingSession(hooks=hooks, config=config) as sess:
                while not sess.should_stop():
                    sess.run(opt.minimize(1))
            print("rank", hvd.rank())
        if (__name__ == '__main__'):
            tf.app.run()
        """

    def test_horovod_stays_and_is_reported_unless_asked_for(self):
        text = self.migrate(self.HOROVOD)
        self.assertIn("hvd.init()", text)
        self.assertNotIn("init_resource", text)
        self.assertIn("--tf-distributed horovod", self.stderr)
        self.run_migrated()

    def test_horovod_becomes_hccl_and_ends_in_any_case(self):
        text = self.migrate(self.HOROVOD, "--tf-distributed", "horovod")
        self.assertNotIn("hvd", text)
        self.assertNotIn("horovod", text)
        record = self.run_migrated(RANK_ID="2", RANK_SIZE="4", DEVICE_ID="2")
        self.assertEqual(self.stdout.split(), ["rank", "2"])
        order = [event["event"] for event in record if event["event"] != "npu"]
        self.assertLess(order.index("initialize_system"), order.index("hooks"))
        self.assertEqual(order[-2:], ["shutdown_system", "close"])
        names = [event["name"] for event in events(record, "npu")]
        self.assertIn("npu_distributed_optimizer_wrapper", names)
        self.assertEqual([e["arguments"] for e in events(record, "npu")
                          if e["name"] == "NPUBroadcastGlobalVariablesHook"], [[0, 2]])

    def test_names_imported_from_horovod_are_found_and_others_are_reported(self):
        text = self.migrate("""
            import tensorflow as tf
            from horovod.tensorflow import init, rank
            import horovod.tensorflow as hvd
            init()
            x = tf.placeholder(tf.float32)
            if rank() == 0:
                print(hvd.allreduce(x))
            """, "--tf-distributed", "horovod")
        self.assertIn("if get_npu_rank_id() == 0:", text)
        self.assertIn("the import stays for horovod.allreduce", self.stderr)
        self.assertIn("UNSUPPORTED", (self.folder / "out/project_msft/change_list.csv").read_text())

    def test_a_strategy_becomes_that_of_the_npu(self):
        source = """
            import tensorflow as tf
            strategy = tf.distribute.MirroredStrategy()
            config = tf.estimator.RunConfig(train_distribute=strategy)
            def model_fn(features, labels, mode):
                opt = tf.train.AdamOptimizer(0.1)
                return tf.estimator.EstimatorSpec(mode, loss=1, train_op=opt.minimize(1))
            estimator = tf.estimator.Estimator(model_fn, config=config)
            estimator.train(lambda: (1, 1), steps=1)
            """
        self.migrate(source)
        self.assertIn("--tf-distributed tf_strategy", self.stderr)
        self.assertEqual(events(self.run_migrated(), "strategy")[0]["kind"], "MirroredStrategy")
        self.migrate(source, "--tf-distributed", "tf_strategy")
        record = self.run_migrated()
        self.assertEqual(events(record, "strategy")[0]["kind"], "NPUStrategy")
        self.assertEqual(events(record, "estimator")[0]["hooks"],
                         ["NPUBroadcastGlobalVariablesHook"])
        self.assertIn("npu_distributed_optimizer_wrapper",
                      [event["name"] for event in events(record, "npu")])

    def test_both_ways_at_once_are_refused(self):
        self.write("project/train.py", "import tensorflow as tf\n")
        result = self.run_for(2, "migrate", "project", "-o", "out", "--tf-distributed", "horovod",
                              "--enable", "tf-strategy")
        self.assertIn(b"exclude each other", result.stderr)


class Eager(TensorflowTest):
    SCRIPT = """
        import tensorflow as tf
        class Model(tf.keras.Model):
            def call(self, x):
                return tf.nn.relu(x)
        @tf.function
        def step(model, x):
            with tf.GradientTape() as tape:
                loss = model(x)
            return tape.gradient(loss, model.trainable_variables)
        def main():
            for gpu in tf.config.experimental.list_physical_devices("GPU"):
                tf.config.experimental.set_memory_growth(gpu, True)
            model = Model()
            for batch in tf.data.Dataset.range(8).batch(2):
                step(model, batch)
            model.compile(optimizer=tf.keras.optimizers.Adam(0.1))
            model.fit([1])
        if __name__ == "__main__":
            main()
        """

    def test_the_npu_is_the_default_device_of_a_script_of_tensorflow_2(self):
        self.migrate(self.SCRIPT)
        record = self.run_migrated(version=2, TRANSPLT_RECORD_TF="batch,set_memory_growth")
        self.assertEqual([e["name"] for e in events(record, "npu_device")], ["open", "as_default"])
        self.assertEqual(events(record, "tf")[0]["keywords"], {"drop_remainder": True})
        self.assertEqual(events(record, "tf")[1:], [])
        self.assertIsNotNone(events(record, "keras")[-1]["device"])

    MODELS = """
        import tensorflow as tf
        class Net(tf.keras.Model):
            def call(self, x):
                return tf.nn.relu(x)
        def make(size):
            inputs = tf.keras.Input([size])
            return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
        def count(x):
            return len(x)
        """

    def test_a_program_that_applies_a_model_of_another_file_opens_the_npu(self):
        main = """
            import tensorflow as tf
            from models import Net, make, count
            def main():
                x = tf.zeros([1, 4])
                {}
            if __name__ == "__main__":
                main()
            """
        for body, opens in (("model = make(4); print(model(x))", True), ("net = Net(); net(x)", True),
                            ("make(4).predict(x)", True), ("print(count([x]))", False)):
            with self.subTest(body):
                text = self.migrate(main.format(body), others={"models.py": self.MODELS})
                self.assertEqual("npu.open().as_default()" in text, opens)
                names = [e["name"] for e in events(self.run_migrated(version=2), "npu_device")]
                self.assertEqual(names, ["open", "as_default"] if opens else [])

    def test_its_optimizers_add_up_gradients_where_asked(self):
        self.migrate(self.SCRIPT, "--tf-distributed", "tf_strategy")
        record = self.run_migrated(version=2)
        self.assertEqual(events(record, "keras")[-1]["optimizer"],
                         "npu_distributed(tf.keras.optimizers.Adam())")

    def test_its_strategies_share_variables_and_gradients(self):
        self.migrate("""
            import tensorflow as tf
            strategy = tf.distribute.MirroredStrategy()
            with strategy.scope():
                model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
                model.compile("adam", "mse")
            model.fit([1.0], [1.0], callbacks=[tf.keras.callbacks.EarlyStopping()])
            """, "--tf-distributed", "tf_strategy")
        self.assertIn("npu.distribute.shard_and_rebatch_dataset", self.stderr)
        record = self.run_migrated(version=2)
        names = [event["name"] for event in events(record, "npu_device")]
        self.assertIn("npu_broadcast_scope_wrapper", names)
        fit = events(record, "keras")[-1]
        self.assertEqual(fit["optimizer"], "npu_distributed(adam)")
        self.assertEqual(fit["callbacks"], ["tf.keras.callbacks.EarlyStopping()",
                                            "NPUBroadcastGlobalVariablesCallback"])

    def test_each_call_of_horovod_is_reported_with_what_npu_device_has(self):
        self.migrate("""
            import tensorflow as tf
            import horovod.tensorflow as hvd
            hvd.init()
            @tf.function
            def step(model, x):
                with tf.GradientTape() as tape:
                    loss = model(x)
                tape = hvd.DistributedGradientTape(tape)
                return tape.gradient(loss, model.trainable_variables)
            print(hvd.rank())
            """, "--tf-distributed", "horovod")
        for text in ("train.py:9:12: tf.horovod.eager-tape: horovod.DistributedGradientTape: take "
                     "the gradients of the tape itself",
                     "npu.distribute.all_reduce(gradients)",
                     "train.py:11:7: tf.horovod.eager-rank: horovod.rank",
                     "int(os.environ.get('RANK_ID', '0'))"):
            self.assertIn(text, self.stderr)

    def test_sessions_run_on_tensorflow_2_where_that_is_installed(self):
        text = self.migrate("""
            import tensorflow as tf
            with tf.compat.v1.Session() as sess:
                sess.run(tf.compat.v1.global_variables_initializer())
            """, "--tf-version", "2")
        self.assertIn("npu_device.compat.enable_v1()", text)
        record = self.run_migrated(version=2)
        self.assertEqual(self.configs(record)[0]["optimizers"], NPU)


class Projects(TensorflowTest):
    SOURCE = "import tensorflow as tf\n\nsess = tf.Session()\ndevice = 'cuda'\n"

    def test_folders_of_a_project_may_be_of_different_frameworks(self):
        text = self.migrate("import torch\nx = torch.zeros(1).cuda()\n",
                            others={"with_tf/train.py": self.SOURCE})
        self.assertIn("import torch_npu", text)
        other = (self.folder / "out/project_msft/with_tf/train.py").read_text()
        self.assertEqual(other, "import tensorflow as tf\n"
                         "from npu_bridge.npu_init import npu_config_proto\n\n"
                         "sess = tf.Session(config=npu_config_proto())\ndevice = 'cuda'\n")

    def test_the_tests_of_a_project_do_not_say_what_it_is_written_in(self):
        of_torch = "import torch\nx = torch.zeros(1).cuda()\n"
        self.migrate(self.SOURCE, others={"tests/bench.py": of_torch})
        self.assertIn("project: tensorflow\n", self.stderr)
        self.migrate("print(1)\n", others={"tests/bench.py": of_torch})
        self.assertIn("project: pytorch", self.stderr)

    def test_tensorflow_that_serves_a_program_of_torch_stays_on_the_cpu(self):
        self.migrate("import torch\nx = torch.zeros(1).cuda()\n", others={"fid.py": self.SOURCE})
        self.assertEqual((self.folder / "out/project_msft/fid.py").read_text(), self.SOURCE)
        self.assertIn("fid.py:1:8: tf.left-on-the-cpu", self.stderr)
        self.migrate("import torch\n", "--framework", "tensorflow", others={"fid.py": self.SOURCE})
        self.assertIn("npu_config_proto", (self.folder / "out/project_msft/fid.py").read_text())

    def test_only_the_framework_that_is_given_is_migrated(self):
        source = "import tensorflow as tf\n\nsess = tf.Session()\n"
        self.assertEqual(self.migrate(source, "--framework", "pytorch"), source)
        self.assertIn("uses tensorflow in 1 files: not migrated", self.stderr)
        self.assertNotEqual(self.migrate(source, "--framework", "tensorflow"), source)

    def test_nobody_is_asked_and_one_bad_file_stops_nothing(self):
        self.migrate("import tensorflow as tf\n\nsess = tf.Session()\n")
        self.write("project/old.py", "import tensorflow as tf\nprint 'x'\nsess = tf.Session()\n")
        self.write("project/bad.py", "import tensorflow as tf\ndef gelu(:\nsess = tf.Session()\n")
        self.write("project/bom.py", b"\xef\xbb\xbfimport tensorflow as tf\r\ns = tf.Session()\r\n")
        self.write("project/empty.py", "")
        self.run_for(1, "migrate", "project", "-o", "out", "--force")
        result = self.folder / "out/project_msft"
        self.assertIn("npu_config_proto()", (result / "old.py").read_text())
        self.assertEqual((result / "bom.py").read_bytes(),
                         b"\xef\xbb\xbfimport tensorflow as tf\r\n"
                         b"from npu_bridge.npu_init import npu_config_proto\r\n"
                         b"s = tf.Session(config=npu_config_proto())\r\n")
        self.assertIn("npu_config_proto()", (result / "train.py").read_text())


if __name__ == "__main__":
    program.require_executable()
    unittest.main()
