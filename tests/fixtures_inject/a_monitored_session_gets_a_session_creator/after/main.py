import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with tf.train.MonitoredSession() as sess:
with tf.train.MonitoredSession(session_creator=tf.train.ChiefSessionCreator(config=session_config)) as sess:
    while not sess.should_stop():
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})

# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with tf.train.MonitoredSession(None, hooks=[]) as sess:
with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(config=session_config), hooks=[]) as sess:
    sess.run(train_op, feed_dict={x: [[0.0] * 4]})

# transplt-inject: begin
session_config = tf.ConfigProto()
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|creator = tf.train.ChiefSessionCreator(config=tf.ConfigProto())
creator = tf.train.ChiefSessionCreator(config=session_config)
with tf.train.MonitoredSession(session_creator=creator) as sess:
    sess.run(train_op, feed_dict={x: [[0.0] * 4]})
