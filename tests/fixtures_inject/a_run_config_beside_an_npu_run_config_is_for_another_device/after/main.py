import sys
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import *
# transplt-inject: begin
from npu_bridge.estimator.npu.npu_config import DumpConfig
# transplt-inject: end


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main(on_npu):
    if on_npu:
        # transplt-inject: begin
        dump_config = DumpConfig(enable_dump=True, dump_path='/home/out', dump_step='0|5')
        # transplt-inject: end
        # transplt-inject: replaced 1
        #|        config = NPURunConfig(model_dir='/tmp/model')
        config = NPURunConfig(model_dir='/tmp/model', dump_config=dump_config)
        estimator = NPUEstimator(model_fn=model_fn, config=config)
    else:
        config = tf.estimator.RunConfig(model_dir='/tmp/model')
        estimator = tf.estimator.Estimator(model_fn=model_fn, config=config)
    estimator.train(input_fn, steps=1)


main(len(sys.argv) < 2)
