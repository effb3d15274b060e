import tensorflow as tf
from npu_bridge.npu_init import *

slim = tf.contrib.slim
metric = tf.constant(1.0)
slim.evaluation.evaluate_once(
    master='',
    checkpoint_path='/tmp/model',
    logdir='/tmp/log',
    eval_op=metric)
config = tf.ConfigProto()
slim.evaluation.evaluation_loop('', '/tmp/model', '/tmp/log', eval_op=metric,
                                session_config=config)
tf.contrib.training.evaluate_repeatedly('/tmp/model', eval_ops=metric)
