import os
import sys

import tensorflow as tf

from trainer import Trainer
# transplt-inject: begin
from npu_bridge.npu_init import npu_ops
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
import atexit
# transplt-inject: end


def freeze():
    """Runs on the CPU."""
    with tf.Session() as sess:
        sess.run(tf.constant(1))


def main(steps):
    Trainer().train(steps)


if __name__ == '__main__':
    print('trains')
    os.environ['ASCEND_GLOBAL_LOG_LEVEL'] = '3'
    # transplt-inject: begin
    npu_init = npu_ops.initialize_system()
    npu_shutdown = npu_ops.shutdown_system()
    init_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = init_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['op_debug_level'].i = 3
    init_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    init_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    init_sess = tf.Session(config=init_config)
    init_sess.run(npu_init)
    atexit.register(init_sess.close)
    atexit.register(init_sess.run, npu_shutdown)
    # transplt-inject: end
    main(len(sys.argv))
