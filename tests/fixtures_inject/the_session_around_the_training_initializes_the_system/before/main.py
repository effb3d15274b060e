import tensorflow as tf
from npu_bridge.npu_init import *

npu_init = npu_ops.initialize_system()
npu_shutdown = npu_ops.shutdown_system()
config = tf.ConfigProto()
with tf.Session(config=config) as sess:
    sess.run(npu_init)
    sess.run(tf.constant(1))
    sess.run(npu_shutdown)
