import sys
import tensorflow as tf
from npu_bridge.npu_init import NPURunConfig, NPUEstimator


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main(over_dump, profile):
    dump_config = None
    if over_dump:
        from npu_bridge.npu_init import DumpConfig
        dump_config = DumpConfig(dump_path='/tmp/overflow', enable_dump_debug=True)
    # transplt-inject: begin
    import os
    if int(os.getenv('RANK_ID', '0')) in (0, 7):
        dump_flag = True
    else:
        dump_flag = False
    from npu_bridge.estimator.npu.npu_config import DumpConfig
    dump_config = DumpConfig(enable_dump=dump_flag, dump_path='/home/out', dump_step='0|5')
    # transplt-inject: end
    run_config = NPURunConfig(model_dir='/tmp/model', dump_config=dump_config)
    NPUEstimator(model_fn=model_fn, config=run_config).train(input_fn, steps=1)
    if profile:
        import os
        print(os.getcwd())
        # transplt-inject: begin
        if int(os.getenv('RANK_ID', '0')) in (0, 7):
            dump_flag = True
        else:
            dump_flag = False
        from npu_bridge.estimator.npu.npu_config import DumpConfig
        npu_dump_config = DumpConfig(enable_dump=dump_flag, dump_path='/home/out', dump_step='0|5')
        # transplt-inject: end
        # transplt-inject: replaced 1
        #|        other = NPURunConfig(model_dir='/tmp/other')
        other = NPURunConfig(model_dir='/tmp/other', dump_config=npu_dump_config)
        NPUEstimator(model_fn=model_fn, config=other).train(input_fn, steps=1)


main('over' in sys.argv, 'profile' in sys.argv)
