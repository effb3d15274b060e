import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
import npu_bridge


def npu_session_config_init(session_config=None):
    if (not isinstance(session_config, tf.ConfigProto)) and (not issubclass(type(session_config), tf.ConfigProto)):
        session_config = tf.ConfigProto()
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    # transplt-inject: begin
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    # transplt-inject: end
    session_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    return session_config


with tf.Session(config=npu_session_config_init()) as sess:
    sess.run(tf.constant(1))
