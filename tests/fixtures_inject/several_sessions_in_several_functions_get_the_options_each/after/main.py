import tensorflow as tf
from npu_bridge.npu_init import *


def train():
    config = tf.ConfigProto()
    # transplt-inject: begin
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.constant(1))


def evaluate():
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    sess = tf.Session(config=npu_config_proto())
    sess = tf.Session(config=npu_config_proto(config_proto=session_config))
    sess.run(tf.constant(1))
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    other = tf.Session(config=npu_config_proto(config_proto=None))
    other = tf.Session(config=npu_config_proto(config_proto=session_config))
    other.run(tf.constant(2))


train()
evaluate()
