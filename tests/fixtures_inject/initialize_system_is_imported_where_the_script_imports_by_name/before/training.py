import tensorflow as tf


def train(config, loss):
    with tf.Session(config=config) as sess:
        sess.run(loss)
