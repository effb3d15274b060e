"""Trains as it is loaded."""
import tensorflow as tf
from npu_bridge.npu_init import *
# transplt-inject: begin
import atexit
# transplt-inject: end

STEPS = 2


def train(steps):
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['op_debug_level'].i = 3
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.Session(config=npu_config_proto()) as sess:
    with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
        for _ in range(steps):
            sess.run(tf.constant(1.0))


print('training')
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
for round in range(2):
    train(STEPS)
