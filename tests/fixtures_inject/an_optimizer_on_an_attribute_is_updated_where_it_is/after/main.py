import tensorflow as tf
from npu_bridge.npu_init import *


class Session(object):
    def __init__(self):
        self.estimator_config = tf.ConfigProto()
        custom_op = self.estimator_config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["hcom_parallel"].b = True
        # transplt-inject: begin
        custom_op.parameter_map["enable_dump"].b = True
        custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
        custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
        custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
        # transplt-inject: end
        self.sess = tf.Session(config=self.estimator_config)


Session().sess.run(tf.constant(1))
