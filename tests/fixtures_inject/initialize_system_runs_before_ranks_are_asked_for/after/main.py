import tensorflow as tf
from npu_bridge.npu_init import *
from hccl.manage.api import get_rank_id
from hccl.manage.api import get_rank_size
# transplt-inject: begin
import atexit
# transplt-inject: end


def main():
    rank_id = get_rank_id()
    rank_size = get_rank_size()
    dataset = tf.data.Dataset.range(8).shard(rank_size, rank_id)
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/d')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.Session(config=npu_config_proto()) as sess:
    with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
        sess.run(tf.constant(1))


if __name__ == '__main__':
    # transplt-inject: begin
    npu_init = npu_ops.initialize_system()
    npu_shutdown = npu_ops.shutdown_system()
    init_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = init_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/d')
    init_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    init_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    init_sess = tf.Session(config=init_config)
    init_sess.run(npu_init)
    atexit.register(init_sess.close)
    atexit.register(init_sess.run, npu_shutdown)
    # transplt-inject: end
    main()
