"""TensorFlow is imported where it is used."""
from npu_bridge.npu_init import npu_config_proto


def graph():
    import tensorflow as tf
    with tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto())) as sess:
        sess.run(tf.constant(1))


def session(config=None):
    from tensorflow import Session
    return Session(config=npu_config_proto(config_proto=config))


if __name__ == '__main__':
    graph()
    with session() as sess:
        sess.run([])
