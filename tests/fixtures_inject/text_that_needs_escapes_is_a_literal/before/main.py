import tensorflow as tf
from npu_bridge.npu_init import *

with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.constant(1))
