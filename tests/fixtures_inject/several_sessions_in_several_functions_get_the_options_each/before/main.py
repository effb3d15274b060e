import tensorflow as tf
from npu_bridge.npu_init import *


def train():
    config = tf.ConfigProto()
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.constant(1))


def evaluate():
    sess = tf.Session(config=npu_config_proto())
    sess.run(tf.constant(1))
    other = tf.Session(config=npu_config_proto(config_proto=None))
    other.run(tf.constant(2))


train()
evaluate()
