import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
# transplt-inject: replaced 1
#|custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['enable_dump'].b = False
# transplt-inject: replaced 1
#|custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/dump')
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/overflow')
# transplt-inject: begin
custom_op.parameter_map['enable_dump_debug'].b = True
custom_op.parameter_map['dump_debug_mode'].s = tf.compat.as_bytes('aicore_overflow')
# transplt-inject: end
tf.Session(config=config).run(tf.constant(1))
