import tensorflow as tf
import npu_device as npu

npu.global_options().precision_mode = 'allow_mix_precision'
npu.open().as_default()
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer='sgd', loss='mse')
model.fit([[0.0]], [[0.0]])
