import sys
import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def run_config(over_dump):
    if over_dump:
        dump_config = DumpConfig(enable_dump_debug=True, dump_path='/tmp/overflow', dump_debug_mode='all')
        return NPURunConfig(model_dir='/tmp/model', dump_config=dump_config)
    # transplt-inject: begin
    npu_dump_config = DumpConfig(enable_dump=True, dump_path='/home/out', dump_step='0|5')
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    return NPURunConfig(model_dir='/tmp/model')
    return NPURunConfig(model_dir='/tmp/model', dump_config=npu_dump_config)


NPUEstimator(model_fn=model_fn, config=run_config('over' in sys.argv)).train(input_fn, steps=1)
