"""TensorFlow is imported where it is used."""
from npu_bridge.npu_init import npu_config_proto
# transplt-inject: begin
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
import tensorflow as tf
# transplt-inject: end


def graph():
    import tensorflow as tf
    # transplt-inject: begin
    session_config = tf.ConfigProto()
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto())) as sess:
    with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
        sess.run(tf.constant(1))


def session(config=None):
    from tensorflow import Session
    # transplt-inject: begin
    if config is None:
        config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == 'NpuOptimizer':
            custom_op = existing_op
    if custom_op is None:
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = 'NpuOptimizer'
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    # transplt-inject: end
    return Session(config=npu_config_proto(config_proto=config))


if __name__ == '__main__':
    graph()
    with session() as sess:
        sess.run([])
