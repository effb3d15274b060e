import tensorflow as tf
from npu_bridge.npu_init import *
# transplt-inject: begin
import os
# transplt-inject: end

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def main():
    config = tf.ConfigProto(allow_soft_placement=True)
    # transplt-inject: begin
    if int(os.getenv('RANK_ID', '0')) == 7:
        dump_flag = True
    else:
        dump_flag = False
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = dump_flag
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


if __name__ == '__main__':
    main()
