import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = npu_config_proto(config_proto=tf.ConfigProto(
    allow_soft_placement=True,
    log_device_placement=True))  # as it was
sess = tf.Session(config=config)
sess.run(train_op, feed_dict={x: [[0.0] * 4]})
