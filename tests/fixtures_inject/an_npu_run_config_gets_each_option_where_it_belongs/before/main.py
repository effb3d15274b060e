import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main():
    config = NPURunConfig(
        iterations_per_loop=1,
        model_dir='/tmp/model',
        precision_mode='force_fp32',
    )
    NPUEstimator(model_fn=model_fn, config=config).train(input_fn=input_fn, max_steps=1)


main()
