import tensorflow as tf
from npu_bridge.npu_init import *
import os

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def singular(hooks):
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    if int(os.getenv('RANK_ID', '0')) in (0, 7):
        dump_flag = True
    else:
        dump_flag = False
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = dump_flag
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.train.SingularMonitoredSession(hooks) as sess:
    with tf.train.SingularMonitoredSession(hooks, config=session_config) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


def worker():
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    if int(os.getenv('RANK_ID', '0')) in (0, 7):
        dump_flag = True
    else:
        dump_flag = False
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = dump_flag
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    creator = tf.train.WorkerSessionCreator(master='')
    creator = tf.train.WorkerSessionCreator(master='', config=session_config)
    with tf.train.MonitoredSession(session_creator=creator) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


def supervised():
    supervisor = tf.train.Supervisor(logdir='/tmp/log')
    config = tf.ConfigProto()
    # transplt-inject: begin
    if int(os.getenv('RANK_ID', '0')) in (0, 7):
        dump_flag = True
    else:
        dump_flag = False
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = dump_flag
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    with supervisor.managed_session(config=config) as sess:
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


singular([])
worker()
supervised()
