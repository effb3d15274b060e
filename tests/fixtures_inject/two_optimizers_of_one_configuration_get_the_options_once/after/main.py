import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op2 = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op2.name = "NpuOptimizer"
custom_op2.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
# transplt-inject: begin
custom_op2.parameter_map["enable_dump"].b = True
custom_op2.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op2.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op2.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
# transplt-inject: end
tf.Session(config=config).run(tf.constant(1))
