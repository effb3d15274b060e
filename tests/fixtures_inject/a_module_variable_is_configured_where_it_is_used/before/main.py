import tensorflow as tf
from npu_bridge.npu_init import *

CONFIG = tf.ConfigProto(allow_soft_placement=True)


def train():
    with tf.Session(config=npu_config_proto(config_proto=CONFIG)) as sess:
        sess.run(tf.constant(1))


train()
train()
