import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


if __name__ == '__main__':
    config = NPURunConfig(model_dir='/tmp/model')
    NPUEstimator(model_fn=model_fn, config=config).train(input_fn=input_fn, max_steps=1)
