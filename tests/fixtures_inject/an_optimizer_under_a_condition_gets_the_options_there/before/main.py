import tensorflow as tf
from npu_bridge.npu_init import *

import os


def get_config(npu):
    config = tf.ConfigProto()
    if npu:
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["use_off_line"].b = True
    else:
        config.gpu_options.allow_growth = True
    return config


tf.Session(config=get_config(True)).run(tf.constant(1))
