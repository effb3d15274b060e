import tensorflow as tf
from npu_bridge.npu_init import *


def train(config):
    # transplt-inject: begin
    if config is None:
        config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == "NpuOptimizer":
            custom_op = existing_op
    if custom_op is None:
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    # transplt-inject: end
    with tf.Session(config=config) as sess:
        sess.run(tf.constant(1))
