import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def main():
    config = tf.ConfigProto(allow_soft_placement=True)
    # transplt-inject: begin
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    custom_op.parameter_map['dump_data'].s = tf.compat.as_bytes('stats')
    custom_op.parameter_map['precision_mode'].s = tf.compat.as_bytes('allow_mix_precision')
    custom_op.parameter_map['jit_compile'].s = tf.compat.as_bytes('false')
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


if __name__ == '__main__':
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    custom_op.parameter_map['precision_mode'].s = tf.compat.as_bytes('allow_mix_precision')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    (npu_sess, npu_shutdown) = init_resource()
    (npu_sess, npu_shutdown) = init_resource(config=session_config)
    main()
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
