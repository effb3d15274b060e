import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
manager = tf.train.SessionManager()


def chief(config):
    # transplt-inject: begin
    if config is None:
        config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == 'NpuOptimizer':
            custom_op = existing_op
    if custom_op is None:
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = 'NpuOptimizer'
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    # transplt-inject: end
    return manager.prepare_session('', init_op=loss, config=config)


def worker():
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
    #|    return manager.wait_for_session('')
    return manager.wait_for_session('', config=session_config)


def restarted():
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
    #|    session, is_loaded = manager.recover_session('', checkpoint_dir='/tmp/log')
    session, is_loaded = manager.recover_session('', checkpoint_dir='/tmp/log', config=session_config)
    return session


for session in (chief(tf.ConfigProto()), worker(), restarted()):
    with session:
        session.run(loss, feed_dict={x: [[0.0] * 4]})
