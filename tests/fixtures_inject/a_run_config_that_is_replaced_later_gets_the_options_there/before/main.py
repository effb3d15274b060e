import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main():
    session_config = tf.ConfigProto(allow_soft_placement=True)
    run_config = tf.estimator.RunConfig(save_summary_steps=0)
    run_config = run_config.replace(model_dir='/tmp/model', session_config=session_config)
    estimator = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=run_config))
    estimator.train(input_fn, steps=1)


main()
