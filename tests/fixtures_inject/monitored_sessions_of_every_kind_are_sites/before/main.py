import tensorflow as tf
from npu_bridge.npu_init import *
import os

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def singular(hooks):
    with tf.train.SingularMonitoredSession(hooks) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


def worker():
    creator = tf.train.WorkerSessionCreator(master='')
    with tf.train.MonitoredSession(session_creator=creator) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


def supervised():
    supervisor = tf.train.Supervisor(logdir='/tmp/log')
    config = tf.ConfigProto()
    with supervisor.managed_session(config=config) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


singular([])
worker()
supervised()
