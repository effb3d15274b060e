import tensorflow as tf
from npu_bridge.npu_init import *

# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|sess = tf.InteractiveSession()
sess = tf.InteractiveSession(config=session_config)
sess.run(tf.constant(1))
config = tf.ConfigProto(allow_soft_placement=True)
# transplt-inject: begin
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=1)],
                                       config=config) as monitored:
    monitored.run(tf.constant(1))
creator = tf.train.ChiefSessionCreator(config=config)
supervisor = tf.train.Supervisor(logdir='/tmp/log')
# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with supervisor.managed_session(config=npu_config_proto()) as managed:
with supervisor.managed_session(config=npu_config_proto(config_proto=session_config)) as managed:
    managed.run(tf.constant(1))
