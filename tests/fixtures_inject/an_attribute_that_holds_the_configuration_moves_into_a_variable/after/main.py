import tensorflow as tf
from npu_bridge.npu_init import *


class Trainer(object):
    def __init__(self):
        self.config = tf.ConfigProto(allow_soft_placement=True)
        # transplt-inject: begin
        session_config = self.config or tf.ConfigProto(allow_soft_placement=True)
        custom_op = None
        for existing_op in session_config.graph_options.rewrite_options.custom_optimizers:
            if existing_op.name == "NpuOptimizer":
                custom_op = existing_op
        if custom_op is None:
            custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
            custom_op.name = "NpuOptimizer"
            session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
        custom_op.parameter_map["enable_dump"].b = True
        custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
        custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
        custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
        # transplt-inject: end
        # transplt-inject: replaced 1
        #|        self.sess = tf.Session(config=npu_config_proto(config_proto=self.config))
        self.sess = tf.Session(config=npu_config_proto(config_proto=session_config))
        self.other = None

    def train(self):
        self.sess.run(tf.constant(1))
        # transplt-inject: begin
        session_config = (self.other if self.other else None) or tf.ConfigProto(allow_soft_placement=True)
        custom_op = None
        for existing_op in session_config.graph_options.rewrite_options.custom_optimizers:
            if existing_op.name == "NpuOptimizer":
                custom_op = existing_op
        if custom_op is None:
            custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
            custom_op.name = "NpuOptimizer"
            session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
        custom_op.parameter_map["enable_dump"].b = True
        custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
        custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
        custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
        # transplt-inject: end
        # transplt-inject: replaced 1
        #|        with tf.Session(config=self.other if self.other else None) as sess:
        with tf.Session(config=session_config) as sess:
            sess.run(tf.constant(2))


Trainer().train()
