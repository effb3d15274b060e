import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
manager = tf.train.SessionManager()


def chief(config):
    return manager.prepare_session('', init_op=loss, config=config)


def worker():
    return manager.wait_for_session('')


def restarted():
    session, is_loaded = manager.recover_session('', checkpoint_dir='/tmp/log')
    return session


for session in (chief(tf.ConfigProto()), worker(), restarted()):
    with session:
        session.run(loss, feed_dict={x: [[0.0] * 4]})
