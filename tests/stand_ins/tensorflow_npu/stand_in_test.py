#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts of the usual shapes run on the stand-in, and it records what an NPU would be told."""

import pathlib
import shutil
import sys
import tempfile
import textwrap
import unittest

sys.dont_write_bytecode = True
from run_script import events, run_script  # noqa: E402


class StandInTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="transplt-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def record(self, text, *arguments, code=0, **options):
        script = self.folder / "script.py"
        script.write_text(textwrap.dedent(text), encoding="utf-8")
        process, record = run_script(script, *arguments, **options)
        self.assertEqual(process.returncode, code, process.stderr)
        self.stderr, self.stdout = process.stderr, process.stdout
        return record

    def test_a_session_is_recorded_with_its_options_and_their_types(self):
        record = self.record("""
            import tensorflow as tf
            from npu_bridge.npu_init import *
            x = tf.placeholder(tf.float32, [None, 784])
            loss = tf.reduce_mean(tf.matmul(x, tf.Variable(tf.zeros([784, 10]))) - 1)
            step = tf.train.AdamOptimizer(1e-4).minimize(loss)
            config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
            custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
            custom_op.name = "NpuOptimizer"
            custom_op.parameter_map["enable_dump"].b = True
            custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/dump")
            custom_op.parameter_map["op_debug_level"].i = 3
            config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
            with tf.Session(config=config) as sess:
                sess.run(tf.global_variables_initializer())
                for i in range(2):
                    _, value = sess.run([step, loss], feed_dict={x: [[0] * 784]})
                    print("loss %f {:.3f}".format(value) % value)
            """)
        session, = events(record, "session")
        self.assertEqual(session["config"]["options"], {
            "enable_dump": {"b": True}, "dump_path": {"s": "/dump"}, "op_debug_level": {"i": 3}})
        self.assertEqual(session["config"]["rewrite"], {"remapping": "OFF"})
        self.assertFalse(session["by_decorator"])
        self.assertEqual([run["fed"] for run in events(record, "run")], [0, 1, 1])
        self.assertEqual(record[-1]["event"], "close")

    def test_the_last_optimizer_wins_and_misspelled_ones_do_not_count(self):
        record = self.record("""
            import tensorflow as tf
            config = tf.ConfigProto()
            for name, mode in (("NpuOptimizer", "a"), ("NpuOptimizer", "b"), ("Npuoptimizer", "c")):
                op = config.graph_options.rewrite_options.custom_optimizers.add()
                op.name = name
                op.parameter_map["precision_mode"].s = tf.compat.as_bytes(mode)
            tf.Session(config=config)
            """)
        self.assertEqual(record[0]["config"]["options"], {"precision_mode": {"s": "b"}})

    def test_npu_bridge_adapts_every_session(self):
        record = self.record("""
            import tensorflow as tf
            tf.Session()
            from npu_bridge.npu_init import *
            tf.Session()
            tf.Session(config=npu_config_proto())
            """)
        sessions = events(record, "session")
        self.assertEqual([s["config"]["optimizers"] for s in sessions],
                         [[], ["NpuOptimizer"], ["NpuOptimizer"]])
        self.assertEqual([s["by_decorator"] for s in sessions], [False, True, False])
        self.assertEqual(sessions[2]["config"]["rewrite"]["memory_optimization"], "OFF")

    def test_mistakes_are_refused_as_the_real_classes_do(self):
        for text, message in (
                ("tf.ConfigProto(allow_growth=True)", "no \"allow_growth\" field"),
                ("tf.Session(config=3)", "config must be a tf.ConfigProto"),
                ("tf.ConfigProto().graph_options.rewrite_options.custom_optimizers.add()"
                 ".parameter_map['dump_path'].s = '/d'", "has type str"),
                ("tf.ConfigProto().gpu_options = tf.GPUOptions()", "Assignment not allowed"),
                ("DumpConfig(dump_pth='/d')", "unexpected keyword argument 'dump_pth'"),
                ("NPURunConfig(1, None, iterations_per_loop=2)", "multiple values"),
                ("NPURunConfig(dump_config={})", "with type `DumpConfig`"),
                ("tf.estimator.Estimator(None, config=3)", "must be an instance of `RunConfig`"),
                ("get_rank_id()", "run initialize_system first"),
                ("npu_strategy.NPUStrategy('/gpu:0')", "only support")):
            with self.subTest(text):
                self.record(f"import tensorflow as tf\nfrom npu_bridge.npu_init import *\n{text}\n",
                            code=1)
                self.assertIn(message, self.stderr)

    def test_the_system_is_initialized_used_and_shut_down_in_order(self):
        record = self.record("""
            import tensorflow as tf
            from npu_bridge.npu_init import *
            if __name__ == "__main__":
                (npu_sess, npu_shutdown) = init_resource(config=tf.ConfigProto())
                print(get_rank_id(), get_npu_rank_size())
                shutdown_resource(npu_sess, npu_shutdown)
                close_session(npu_sess)
            """, RANK_ID="3", RANK_SIZE="8")
        self.assertEqual(self.stdout.split(), ["3", "8"])
        self.assertEqual([event["event"] for event in record if event["event"] not in (
            "npu", "run")], ["session", "initialize_system", "hccl", "shutdown_system", "close"])

    def test_estimators_run_their_functions(self):
        record = self.record("""
            import tensorflow as tf
            from npu_bridge.npu_init import *
            def model_fn(features, labels, mode, params):
                logits = tf.layers.dense(features["x"], params["units"])
                if mode == tf.estimator.ModeKeys.TRAIN:
                    return tf.estimator.EstimatorSpec(mode, loss=logits, train_op=logits)
                return tf.estimator.EstimatorSpec(mode=mode, loss=logits)
            def input_fn():
                return tf.data.Dataset.from_tensor_slices(({"x": [1]}, [1])).batch(1)
            run_config = tf.estimator.RunConfig(save_summary_steps=0)
            estimator = tf.estimator.Estimator(
                model_fn, config=npu_run_config_init(run_config=run_config), params={"units": 3})
            tf.estimator.train_and_evaluate(
                estimator, tf.estimator.TrainSpec(input_fn, hooks=npu_hooks_append()),
                tf.estimator.EvalSpec(input_fn))
            dump = DumpConfig(enable_dump=True, dump_path="/d")
            NPUEstimator(model_fn, params={"units": 1}, config=NPURunConfig(
                dump_config=dump, precision_mode="allow_mix_precision")).train(input_fn)
            """)
        train, evaluate, manual = events(record, "estimator")
        self.assertEqual((train["method"], evaluate["method"]), ("train", "evaluate"))
        self.assertEqual(train["config"]["optimizers"], ["NpuOptimizer"])
        self.assertEqual(train["hooks"], ["NPUBroadcastGlobalVariablesHook"])
        self.assertEqual(manual["config"]["options"]["enable_dump"], {"b": True})
        self.assertEqual(manual["config"]["options"]["precision_mode"],
                         {"s": "allow_mix_precision"})

    def test_an_estimator_predicts_one_row_for_each_example(self):
        self.record("""
            import tensorflow as tf
            def model_fn(features, labels, mode):
                return tf.estimator.EstimatorSpec(mode, predictions={"class": features})
            with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
                for number in range(10):
                    writer.write(tf.train.Example(features=number).SerializeToString())
            def records(drop):
                data = tf.data.TFRecordDataset("data.tfrecord").map(lambda record: record)
                return lambda: data.apply(tf.contrib.data.map_and_batch(
                    lambda record: record, batch_size=4, drop_remainder=drop))
            estimator = tf.estimator.Estimator(model_fn)
            for input_fn in (records(False), records(True),
                             tf.estimator.inputs.numpy_input_fn({"x": [1, 2, 3]}, num_epochs=2),
                             lambda: tf.data.Dataset.from_tensor_slices([1, 2]).repeat()):
                rows = list(estimator.predict(input_fn))
                assert all("class" in row for row in rows)
                print(len(rows))
            """, cwd=self.folder)
        self.assertEqual(self.stdout.split(), ["10", "8", "6", "1"])

    def test_a_feature_that_is_predicted_has_the_value_that_was_read(self):
        self.record("""
            import tensorflow as tf
            with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
                for number in (7, 9):
                    writer.write(tf.train.Example(features=tf.train.Features(feature={
                        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                    })).SerializeToString())
            estimator = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(
                mode, predictions={"id": features["id"], "class": tf.nn.softmax(features["id"])}))
            for row in estimator.predict(lambda: tf.data.TFRecordDataset("data.tfrecord").batch(2)):
                print(row["id"] + 1, float(row["class"]))
            with tf.gfile.Open("text", "w") as file:
                file.write(b"bytes, ")
                file.write("text")
            print(tf.gfile.Open("text").read())
            """, cwd=self.folder)
        self.assertEqual(self.stdout, "8 0.5\n10 0.5\nbytes, text\n")

    def test_steps_and_checkpoints_are_those_of_the_run(self):
        self.record("""
            import tensorflow as tf
            sess, saver, step = tf.Session(), tf.train.Saver(), tf.train.get_global_step()
            print(tf.train.latest_checkpoint("."))
            for _ in range(3):
                sess.run(step)
            print(tf.train.global_step(sess, step))
            print(saver.save(sess, "./model", global_step=step))
            print(tf.train.get_checkpoint_state(".").model_checkpoint_path)
            """, cwd=self.folder)
        self.assertEqual(self.stdout.split(), ["None", "3", "./model-3", "./model-3"])

    def test_what_is_fetched_has_the_shape_that_the_environment_gives(self):
        self.record("""
            import tensorflow as tf
            image, loss = tf.Session().run([tf.nn.sigmoid(tf.zeros([1])), tf.reduce_mean(1)])
            print(image.shape, "%.1f" % loss)
            """, TRANSPLT_STAND_IN_SHAPES='{"tf.nn.sigmoid": [4, 784]}')
        self.assertEqual(self.stdout, "(4, 784) 0.5\n")

    def test_layers_come_with_a_star_and_flags_as_objects(self):
        self.record("""
            import tensorflow as tf
            from keras.layers import *
            tf.app.flags.DEFINE_integer("steps", 3, "how many")
            FLAGS = tf.app.flags.FLAGS
            Dense(FLAGS.steps)(Input([1]))
            print({name: FLAGS[name].value for name in FLAGS})
            """)
        self.assertEqual(self.stdout, "{'steps': 3}\n")

    def test_keras_of_tensorflow_1_runs_in_the_session_that_was_set(self):
        record = self.record("""
            import tensorflow as tf
            from tensorflow.python.keras import backend as K
            from npu_bridge.npu_init import *
            session = set_keras_session_npu_config()
            model = tf.keras.models.Sequential([tf.keras.layers.Dense(10)])
            model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
            model.fit([1], [1], callbacks=npu_callbacks_append())
            close_session(session)
            """)
        fit = events(record, "keras")[-1]
        self.assertEqual(fit["config"]["optimizers"], ["NpuOptimizer"])
        self.assertEqual(fit["callbacks"], ["NPUBroadcastGlobalVariablesCallback"])
        self.assertEqual(fit["optimizer"], "tf.keras.optimizers.SGD()")

    def test_keras_of_tensorflow_2_runs_where_npu_device_says(self):
        record = self.record("""
            import tensorflow as tf
            import npu_device as npu
            npu.global_options().dump_config.enable_dump = True
            npu.global_options().dump_config.dump_path = "/d"
            npu.open().as_default()
            strategy = tf.distribute.MirroredStrategy()
            with strategy.scope():
                model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
                model.compile("adam")
            model.fit([1])
            for name in ("Session", "placeholder", "contrib"):
                assert not hasattr(tf, name), name
            """, version=2)
        self.assertEqual(events(record, "keras")[-1]["device"],
                         {"npu": None, "options": {"enable_dump": True, "dump_path": "/d"}})
        self.record("import npu_device as npu\n"
                    "npu.global_options().dump_config.dump_pth = '/d'\n", version=2, code=1)
        self.assertIn("no option dump_pth", self.stderr)
        self.record("import npu_device as npu\n"
                    "npu.global_options().dump_config.enable_dump = True\nnpu.open()\n",
                    version=2, code=1)
        self.assertIn("dump_path must be set", self.stderr)

    def test_flags_horovod_and_loops_that_wait_for_an_end(self):
        record = self.record("""
            import horovod.tensorflow as hvd
            import tensorflow.compat.v1 as tf
            from absl import app, flags
            flags.DEFINE_integer("steps", 3, "how many")
            def main(_):
                hvd.init()
                optimizer = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.1 * hvd.size()))
                hooks = [hvd.BroadcastGlobalVariablesHook(0)]
                with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
                    while not session.should_stop():
                        session.run(optimizer.minimize(1))
                    try:
                        while True:
                            session.run(optimizer)
                    except tf.errors.OutOfRangeError:
                        print(flags.FLAGS.steps)
            if __name__ == "__main__":
                app.run(main)
            """, "--steps=7", TRANSPLT_STAND_IN_RUNS="5")
        self.assertEqual(self.stdout.split(), ["7"])
        self.assertEqual(len(events(record, "run")), 5)
        self.assertEqual(events(record, "session")[0]["kind"], "MonitoredTrainingSession")

    def test_names_of_tensorflow_are_recorded_on_request(self):
        record = self.record("""
            import tensorflow as tf
            with tf.device("/cpu:0"):
                tf.data.Dataset.range(3).batch(2, drop_remainder=True)
            """, TRANSPLT_RECORD_TF="device,batch")
        self.assertEqual(record[0]["arguments"], ["/cpu:0"])
        self.assertEqual(record[1]["keywords"], {"drop_remainder": True})


if __name__ == "__main__":
    unittest.main()
