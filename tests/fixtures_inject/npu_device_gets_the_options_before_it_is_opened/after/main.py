import tensorflow as tf
import npu_device as npu

npu.global_options().precision_mode = 'allow_mix_precision'
# transplt-inject: begin
npu.global_options().dump_config.enable_dump = True
npu.global_options().dump_config.dump_path = '/home/HwHiAiUser/output'
npu.global_options().dump_config.dump_step = '0|5|10'
npu.global_options().dump_config.dump_mode = 'all'
# transplt-inject: end
npu.open().as_default()
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer='sgd', loss='mse')
model.fit([[0.0]], [[0.0]])
