import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main():
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    config = tf.estimator.RunConfig(tf_random_seed=2021, save_summary_steps=0)
    config = tf.estimator.RunConfig(tf_random_seed=2021, save_summary_steps=0, session_config=session_config)
    one = tf.estimator.Estimator(model_fn, config=config)
    one.train(input_fn, steps=1)
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    run_config = tf.estimator.RunConfig(session_config=session_config)
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    two = tf.estimator.Estimator(model_fn=model_fn)
    two = tf.estimator.Estimator(model_fn=model_fn, config=run_config)
    two.train(input_fn, steps=1)
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 3
    #|    three = tf.contrib.tpu.TPUEstimator(
    #|        model_fn=model_fn, use_tpu=False, train_batch_size=8,
    #|        config=tf.contrib.tpu.RunConfig(model_dir='/tmp/model'))
    three = tf.contrib.tpu.TPUEstimator(
        model_fn=model_fn, use_tpu=False, train_batch_size=8,
        config=tf.contrib.tpu.RunConfig(model_dir='/tmp/model', session_config=session_config))
    three.train(input_fn, steps=1)


main()
