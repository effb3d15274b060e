import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
# transplt-inject: replaced 1
#|custom_op.parameter_map['enable_dump'].b = False  # off for now
custom_op.parameter_map['enable_dump'].b = True  # off for now
# transplt-inject: replaced 1
#|custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/old')
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
# transplt-inject: replaced 1
#|custom_op.parameter_map['precision_mode'].s = tf.compat.as_bytes(
#|    'allow_mix_precision')
custom_op.parameter_map['precision_mode'].s = tf.compat.as_bytes('force_fp32')
# transplt-inject: begin
custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
# transplt-inject: end
tf.Session(config=config).run(tf.constant(1))
