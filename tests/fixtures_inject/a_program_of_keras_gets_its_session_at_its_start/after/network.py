import tensorflow as tf
from npu_bridge.npu_init import *


def build():
    return tf.keras.Sequential([tf.keras.layers.Dense(1)])


def tune(model, x, y):
    model.compile('adam')
    model.fit(x, y)
