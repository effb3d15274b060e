import tensorflow as tf
from npu_bridge.npu_init import *

number = tf.train.get_or_create_global_step()
global_step = tf.reduce_sum(tf.constant([1.0]))
counter = tf.Variable(0, trainable=False)
train_op = tf.train.AdamOptimizer(0.1).minimize(global_step, global_step=counter)
# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/tmp/dump")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with tf.Session(config=npu_config_proto()) as sess:
with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
    sess.run(number)
    sess.run([counter])
    counter.eval(session=sess)
    tf.train.global_step(sess, counter)
    sess.run(global_step)
    sess.run([train_op, counter])
