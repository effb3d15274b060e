import tensorflow as tf
from npu_bridge.npu_init import *


def make_config(fast):
    config = tf.ConfigProto()
    if fast:
        return config
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['use_off_line'].b = True
    return config


for fast in (True, False):
    with tf.Session(config=npu_config_proto(config_proto=make_config(fast))) as sess:
        sess.run(tf.constant(1))
