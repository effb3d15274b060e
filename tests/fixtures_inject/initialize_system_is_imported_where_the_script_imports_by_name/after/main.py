"""As migrated: only what the script uses is imported, and where it is used."""
from npu_bridge.npu_init import npu_config_proto
# transplt-inject: begin
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow import ConfigProto
from npu_bridge.npu_init import npu_ops
import atexit
# transplt-inject: end


def export():
    from tensorflow import ConfigProto, Session
    # transplt-inject: begin
    session_config = ConfigProto()
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['op_debug_level'].i = 3
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with Session(config=npu_config_proto(config_proto=ConfigProto())) as sess:
    with Session(config=npu_config_proto(config_proto=session_config)) as sess:
        sess.run([])


def npu_init(config):
    # transplt-inject: begin
    if config is None:
        config = ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == 'NpuOptimizer':
            custom_op = existing_op
    if custom_op is None:
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = 'NpuOptimizer'
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map['op_debug_level'].i = 3
    # transplt-inject: end
    return npu_config_proto(config_proto=config)


if __name__ == '__main__':
    import tensorflow.compat.v1 as tf
    from training import train
    # transplt-inject: begin
    npu_npu_init = npu_ops.initialize_system()
    npu_shutdown = npu_ops.shutdown_system()
    init_config = ConfigProto(allow_soft_placement=True)
    custom_op = init_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['op_debug_level'].i = 3
    init_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    init_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    init_sess = tf.Session(config=init_config)
    init_sess.run(npu_npu_init)
    atexit.register(init_sess.close)
    atexit.register(init_sess.run, npu_shutdown)
    # transplt-inject: end
    train(npu_init(tf.ConfigProto()), tf.constant([1.0]))
    export()
