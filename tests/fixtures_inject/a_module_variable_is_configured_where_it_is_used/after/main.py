import tensorflow as tf
from npu_bridge.npu_init import *

CONFIG = tf.ConfigProto(allow_soft_placement=True)


def train():
    # transplt-inject: begin
    custom_op = None
    for existing_op in CONFIG.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == "NpuOptimizer":
            custom_op = existing_op
    if custom_op is None:
        custom_op = CONFIG.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        CONFIG.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=CONFIG)) as sess:
        sess.run(tf.constant(1))


train()
train()
