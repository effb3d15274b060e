import tensorflow as tf
from npu_bridge.npu_init import *


def get_config(growth):
    if growth:
        return tf.ConfigProto(log_device_placement=False)
    return None


def run(cfg):
    with tf.Session(config=npu_config_proto(config_proto=cfg)) as sess:
        sess.run(tf.constant(1))


class Trainer:
    def __init__(self, config=None):
        self.config = config

    def train(self):
        with tf.Session(config=npu_config_proto(config_proto=self.config)) as sess:
            sess.run(tf.constant(2))


def train():
    config = get_config(False)
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.constant(3))
    with tf.Session(config=npu_config_proto(config_proto=get_config(False))) as sess:
        sess.run(tf.constant(4))


if __name__ == '__main__':
    run(None)
    Trainer().train()
    train()
