import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def train(config=None, steps=2):
    with tf.Graph().as_default():
        for _ in range(steps):
            with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
                sess.run(tf.constant(1))


train()
