"""Trains as it is loaded."""
import tensorflow as tf
from npu_bridge.npu_init import *

STEPS = 2


def train(steps):
    with tf.Session(config=npu_config_proto()) as sess:
        for _ in range(steps):
            sess.run(tf.constant(1.0))


print('training')
for round in range(2):
    train(STEPS)
