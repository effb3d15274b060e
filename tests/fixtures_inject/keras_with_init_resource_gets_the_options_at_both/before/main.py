import tensorflow as tf
import tensorflow.python.keras as keras
from tensorflow.python.keras import backend as K
from npu_bridge.npu_init import *


def main():
    npu_keras_sess = set_keras_session_npu_config()
    model = keras.models.Sequential([keras.layers.Dense(1)])
    model.compile(optimizer='sgd', loss='mse')
    model.fit([[0.0]], [[0.0]])
    close_session(npu_keras_sess)


if __name__ == '__main__':
    (npu_sess, npu_shutdown) = init_resource()
    main()
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
