"""As migrated: only what the script uses is imported."""
from tensorflow import ConfigProto, constant
from npu_bridge.npu_init import npu_config_proto

from training import train
# transplt-inject: begin
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from npu_bridge.npu_init import npu_ops
import tensorflow as tf
import atexit
# transplt-inject: end


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
    train(npu_init(ConfigProto()), constant([1.0]))
