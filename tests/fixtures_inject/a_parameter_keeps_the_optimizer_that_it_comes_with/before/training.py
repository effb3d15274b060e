import tensorflow as tf
from npu_bridge.npu_init import *


def train(config):
    with tf.Session(config=config) as sess:
        sess.run(tf.constant(1))
