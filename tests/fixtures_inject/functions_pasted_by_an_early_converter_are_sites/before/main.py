import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
import npu_bridge


def npu_session_config_init(session_config=None):
    if (not isinstance(session_config, tf.ConfigProto)) and (not issubclass(type(session_config), tf.ConfigProto)):
        session_config = tf.ConfigProto()
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    session_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    return session_config


with tf.Session(config=npu_session_config_init()) as sess:
    sess.run(tf.constant(1))
