import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
# transplt-inject: replaced 1
#|custom_op.parameter_map['op_debug_level'].s = tf.compat.as_bytes('1')
custom_op.parameter_map['op_debug_level'].i = 2
custom_op.parameter_map['use_off_line'].b = True
# transplt-inject: begin
custom_op.parameter_map['jit_compile'].s = tf.compat.as_bytes('false')
# transplt-inject: end
tf.Session(config=config).run(tf.constant(1))
