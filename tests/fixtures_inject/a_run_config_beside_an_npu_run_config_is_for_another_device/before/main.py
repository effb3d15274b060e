import sys
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main(on_npu):
    if on_npu:
        config = NPURunConfig(model_dir='/tmp/model')
        estimator = NPUEstimator(model_fn=model_fn, config=config)
    else:
        config = tf.estimator.RunConfig(model_dir='/tmp/model')
        estimator = tf.estimator.Estimator(model_fn=model_fn, config=config)
    estimator.train(input_fn, steps=1)


main(len(sys.argv) < 2)
