import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = False  # off for now
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/old')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
custom_op.parameter_map['precision_mode'].s = tf.compat.as_bytes(
    'allow_mix_precision')
tf.Session(config=config).run(tf.constant(1))
