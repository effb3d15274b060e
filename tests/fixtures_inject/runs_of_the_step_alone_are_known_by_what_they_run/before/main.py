import tensorflow as tf
from npu_bridge.npu_init import *

number = tf.train.get_or_create_global_step()
global_step = tf.reduce_sum(tf.constant([1.0]))
counter = tf.Variable(0, trainable=False)
train_op = tf.train.AdamOptimizer(0.1).minimize(global_step, global_step=counter)
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(number)
    sess.run([counter])
    counter.eval(session=sess)
    tf.train.global_step(sess, counter)
    sess.run(global_step)
    sess.run([train_op, counter])
