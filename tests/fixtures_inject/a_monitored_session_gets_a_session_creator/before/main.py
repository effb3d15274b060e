import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.train.MonitoredSession() as sess:
    while not sess.should_stop():
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})

with tf.train.MonitoredSession(None, hooks=[]) as sess:
    sess.run(train_op, feed_dict={x: [[0.0] * 4]})

creator = tf.train.ChiefSessionCreator(config=tf.ConfigProto())
with tf.train.MonitoredSession(session_creator=creator) as sess:
    sess.run(train_op, feed_dict={x: [[0.0] * 4]})
