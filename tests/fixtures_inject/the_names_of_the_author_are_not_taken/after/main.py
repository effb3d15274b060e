import tensorflow as tf
from npu_bridge.npu_init import *


def train(session_config, custom_op, dump_flag=None):
    print(session_config, custom_op, dump_flag)
    # transplt-inject: begin
    npu_session_config = tf.ConfigProto(allow_soft_placement=True)
    npu_custom_op = npu_session_config.graph_options.rewrite_options.custom_optimizers.add()
    npu_custom_op.name = 'NpuOptimizer'
    npu_custom_op.parameter_map['enable_dump'].b = True
    npu_custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    npu_custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    npu_custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    npu_session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.Session(config=npu_config_proto()) as sess:
    with tf.Session(config=npu_config_proto(config_proto=npu_session_config)) as sess:
        sess.run(tf.constant(1))
    print(session_config, custom_op)


train('session', 'op')
