import tensorflow as tf
from npu_bridge.npu_init import *

from .ranks import rank_of_this_card


class Trainer:
    def train(self, steps):
        with tf.Session(config=npu_config_proto()) as sess:
            for _ in range(steps):
                sess.run(tf.constant(rank_of_this_card()))
