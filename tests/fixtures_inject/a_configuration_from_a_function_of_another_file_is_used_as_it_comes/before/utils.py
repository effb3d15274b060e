import tensorflow as tf


def get_config(growth):
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = growth
    return config
