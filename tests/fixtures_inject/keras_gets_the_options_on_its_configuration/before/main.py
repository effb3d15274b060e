import tensorflow as tf
import tensorflow.python.keras as keras
from npu_bridge.npu_init import *

config_proto = tf.ConfigProto(allow_soft_placement=True)
npu_keras_sess = set_keras_session_npu_config(config=config_proto)
model = keras.models.Sequential([keras.layers.Dense(1)])
model.compile(optimizer='sgd', loss='mse')
model.fit([[0.0]], [[0.0]])
close_session(npu_keras_sess)
