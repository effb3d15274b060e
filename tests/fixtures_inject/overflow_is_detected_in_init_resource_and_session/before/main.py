import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def main():
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train_op, feed_dict={x: [[0.0] * 4]})


if __name__ == '__main__':
    (npu_sess, npu_shutdown) = init_resource()
    main()
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
