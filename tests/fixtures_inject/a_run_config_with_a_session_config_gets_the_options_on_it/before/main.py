import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main(_):
    session_config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    run_config = tf.estimator.RunConfig(
        model_dir='/tmp/model',
        session_config=session_config,
        save_checkpoints_secs=60 * 60 * 24)
    classifier = tf.estimator.Estimator(
        model_fn=model_fn, model_dir='/tmp/model',
        config=npu_run_config_init(run_config=run_config))
    classifier.train(input_fn=input_fn, max_steps=1)


if __name__ == '__main__':
    tf.app.run()
