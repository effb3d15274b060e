import tensorflow as tf
import npu_bridge.npu_init


def main():
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.Session() as sess:
    with tf.Session(config=session_config) as sess:
        sess.run(tf.constant(1))
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    # transplt-inject: begin
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    with tf.Session(config=config) as sess:
        sess.run(tf.constant(1))


main()
