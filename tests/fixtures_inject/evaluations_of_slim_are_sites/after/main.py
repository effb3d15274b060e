import tensorflow as tf
from npu_bridge.npu_init import *

slim = tf.contrib.slim
metric = tf.constant(1.0)
# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 6
#|slim.evaluation.evaluate_once(
#|    master='',
#|    checkpoint_path='/tmp/model',
#|    logdir='/tmp/log',
#|    eval_op=metric)
slim.evaluation.evaluate_once(
    master='',
    checkpoint_path='/tmp/model',
    logdir='/tmp/log',
    eval_op=metric,
    session_config=session_config)
config = tf.ConfigProto()
# transplt-inject: begin
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
slim.evaluation.evaluation_loop('', '/tmp/model', '/tmp/log', eval_op=metric,
                                session_config=config)
# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|tf.contrib.training.evaluate_repeatedly('/tmp/model', eval_ops=metric)
tf.contrib.training.evaluate_repeatedly('/tmp/model', eval_ops=metric, config=session_config)
