import tensorflow as tf
from npu_bridge.npu_init import *


class Trainer(object):
    def __init__(self):
        self.config = tf.ConfigProto(allow_soft_placement=True)
        self.sess = tf.Session(config=npu_config_proto(config_proto=self.config))
        self.other = None

    def train(self):
        self.sess.run(tf.constant(1))
        with tf.Session(config=self.other if self.other else None) as sess:
            sess.run(tf.constant(2))


Trainer().train()
