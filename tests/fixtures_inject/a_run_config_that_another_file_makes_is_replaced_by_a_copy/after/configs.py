import tensorflow as tf


def get_run_config(folder):
    return tf.estimator.RunConfig(folder, 1, 0, 100, None, tf.ConfigProto(allow_soft_placement=True))
