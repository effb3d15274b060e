import tensorflow as tf
from npu_bridge.npu_init import *


def make_config(fast):
    config = tf.ConfigProto()
    if fast:
        # transplt-inject: begin
        npu_custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        npu_custom_op.name = 'NpuOptimizer'
        npu_custom_op.parameter_map['enable_dump'].b = True
        npu_custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/tmp/dump')
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
        # transplt-inject: end
        return config
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['use_off_line'].b = True
    # transplt-inject: begin
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/tmp/dump')
    # transplt-inject: end
    return config


for fast in (True, False):
    with tf.Session(config=npu_config_proto(config_proto=make_config(fast))) as sess:
        sess.run(tf.constant(1))
