import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/dump')
tf.Session(config=config).run(tf.constant(1))
