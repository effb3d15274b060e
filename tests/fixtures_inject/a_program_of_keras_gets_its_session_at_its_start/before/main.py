from __future__ import print_function
import tensorflow as tf
from npu_bridge.estimator.npu import npu_convert_dropout
from tensorflow.keras.callbacks import EarlyStopping

from network import build

EPOCHS = 3


class Trainer(object):
    def __init__(self, model):
        self.model = model
        self.model.compile(optimizer='sgd', loss='mse')

    def run(self, generator):
        return self.model.fit_generator(generator, steps_per_epoch=1, epochs=EPOCHS,
                                        callbacks=[EarlyStopping()])


def main():
    config_proto = 'a name that is taken'
    print(config_proto)
    Trainer(build()).run(iter([([0.0], [1.0])]))


if __name__ == '__main__':
    main()
