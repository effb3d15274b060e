import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main():
    config = tf.estimator.RunConfig(tf_random_seed=2021, save_summary_steps=0)
    one = tf.estimator.Estimator(model_fn, config=config)
    one.train(input_fn, steps=1)
    two = tf.estimator.Estimator(model_fn=model_fn)
    two.train(input_fn, steps=1)
    three = tf.contrib.tpu.TPUEstimator(
        model_fn=model_fn, use_tpu=False, train_batch_size=8,
        config=tf.contrib.tpu.RunConfig(model_dir='/tmp/model'))
    three.train(input_fn, steps=1)


main()
