# SPDX-License-Identifier: Apache-2.0
"""Keras models: compile and fit are recorded with the session or device that they run on."""

from npu_stand_in import protos, record, session
from npu_stand_in.fake import Base, Fake

# What `from keras.layers import *` gives.
LAYERS = """Activation Add Average AveragePooling2D BatchNormalization Bidirectional Concatenate
Conv1D Conv2D Conv2DTranspose Conv3D Dense Dot Dropout Embedding Flatten GRU GlobalAveragePooling2D
GlobalMaxPooling2D Input LSTM Lambda Layer LeakyReLU MaxPooling1D MaxPooling2D Multiply PReLU
Permute ReLU RepeatVector Reshape Softmax TimeDistributed UpSampling2D ZeroPadding2D add average
concatenate dot multiply""".split()
PLACE = {"device": None, "two": False}


class Model(Base):
    """tf.keras.Model."""

    def __init__(self, *arguments, **keywords):
        self.__dict__["stand_in_layers"] = []

    def add(self, layer):
        self.stand_in_layers.append(layer)

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None,
                sample_weight_mode=None, weighted_metrics=None, target_tensors=None,
                distribute=None, **keywords):
        self.__dict__["optimizer"] = optimizer
        record.event("keras", method="compile", optimizer=record.describe(optimizer))

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None,
            validation_split=0.0, validation_data=None, shuffle=True, class_weight=None,
            sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_freq=1, max_queue_size=10, workers=1, use_multiprocessing=False,
            **keywords):
        return self._run("fit", callbacks)

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None,
                      validation_data=None, validation_steps=None, validation_freq=1,
                      class_weight=None, max_queue_size=10, workers=1, use_multiprocessing=False,
                      shuffle=True, initial_epoch=0):
        return self._run("fit_generator", callbacks)

    def evaluate(self, *arguments, callbacks=None, **keywords):
        self._run("evaluate", callbacks)
        return [0.5, 0.5]

    def predict(self, *arguments, callbacks=None, **keywords):
        return self._run("predict", callbacks)

    def train_on_batch(self, *arguments, **keywords):
        return self._run("train_on_batch", None)

    def _run(self, method, callbacks):
        where = {"device": PLACE["device"]}
        if not PLACE["two"]:
            used = session.keras_session()
            where = {"session": used.identity, "config": protos.summary(used._config)}
        record.event("keras", method=method, callbacks=record.describe(list(callbacks or ())),
                     optimizer=record.describe(self.__dict__.get("optimizer")), **where)
        return Fake("history")


class Sequential(Model):
    """tf.keras.Sequential."""


class Strategy:
    """A distribution strategy."""

    def __init__(self, *arguments, **keywords):
        record.event("strategy", kind=type(self).__name__)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Fake(f"{type(self).__name__}.{name}")


STRATEGIES = {name: type(name, (Strategy,), {}) for name in (
    "MirroredStrategy", "MultiWorkerMirroredStrategy", "ParameterServerStrategy",
    "CollectiveAllReduceStrategy", "OneDeviceStrategy", "TPUStrategy", "CentralStorageStrategy")}
