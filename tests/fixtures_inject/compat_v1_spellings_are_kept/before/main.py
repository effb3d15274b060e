import tensorflow as tf
from npu_bridge.npu_init import *

tf.compat.v1.disable_eager_execution()
with tf.compat.v1.Session(config=npu_config_proto()) as sess:
    sess.run(tf.constant(1))
