import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def plain():
    sess_config = tf.ConfigProto(allow_soft_placement=True)
    # transplt-inject: begin
    custom_op = sess_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    sess_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    tf.contrib.slim.learning.train(train_op, '/tmp/log', session_config=sess_config)


def manual():
    sess_config = tf.ConfigProto(allow_soft_placement=True)
    sess_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: begin
    custom_op = sess_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=sess_config)) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


plain()
manual()
