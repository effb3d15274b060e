import tensorflow as tf
from npu_bridge.npu_init import *

import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--data_dump_flag', action='store_true')
FLAGS = parser.parse_args()
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
if FLAGS.data_dump_flag:
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/author")
# transplt-inject: begin
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
# transplt-inject: end
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
tf.Session(config=config).run(tf.constant(1))
