import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def configure(config, debug):
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['use_off_line'].b = True
    if debug:
        custom_op.parameter_map['op_debug_level'].i = 1


config = tf.ConfigProto()
configure(config, False)
with tf.Session(config=config) as sess:
    sess.run(train_op, feed_dict={x: [[0.0] * 4]})
