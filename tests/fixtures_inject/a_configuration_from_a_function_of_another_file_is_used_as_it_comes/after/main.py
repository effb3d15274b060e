import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

import utils

# transplt-inject: begin
session_config = utils.get_config(True)
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
#|with tf.Session(config=npu_config_proto(config_proto=utils.get_config(True))) as sess:
with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
    sess.run(train_op, feed_dict={x: [[0.0] * 4]})
