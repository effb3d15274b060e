import tensorflow as tf
from npu_bridge.npu_init import *

import sys

if len(sys.argv) > 1:
    config = tf.ConfigProto(log_device_placement=True)
else:
    config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
# transplt-inject: begin
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
for part in range(2):
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.constant(part))
sess = tf.Session(config=config)
sess.run(tf.constant(2))
