import tensorflow.compat.v1 as tf1
from npu_bridge.estimator import npu_ops

tf1.disable_v2_behavior()
with tf1.Session() as sess:
    sess.run(tf1.constant(1))
