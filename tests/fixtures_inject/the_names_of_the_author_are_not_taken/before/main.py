import tensorflow as tf
from npu_bridge.npu_init import *


def train(session_config, custom_op, dump_flag=None):
    print(session_config, custom_op, dump_flag)
    with tf.Session(config=npu_config_proto()) as sess:
        sess.run(tf.constant(1))
    print(session_config, custom_op)


train('session', 'op')
