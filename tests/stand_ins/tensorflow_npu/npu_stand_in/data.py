# SPDX-License-Identifier: Apache-2.0
"""Data sets: nothing is read of them but how many examples they hold, as far as that is known."""

import json
import struct

from npu_stand_in import record
from npu_stand_in.fake import Fake


class Example:
    """tf.train.Example: the features that it holds, as JSON in place of a protocol message."""

    def __init__(self, features=None):
        self.features = features if isinstance(features, dict) else {}

    def SerializeToString(self):
        plain = {name: one.values() for name, one in self.features.items()}
        return json.dumps(plain, default=record.describe).encode()


class Values:
    """tf.train.Int64List and its like."""

    def __init__(self, value=()):
        self.value = list(value)


class Feature:
    """tf.train.Feature."""

    def __init__(self, int64_list=None, float_list=None, bytes_list=None):
        self.int64_list = int64_list or Values()
        self.float_list = float_list or Values()
        self.bytes_list = bytes_list or Values()

    def values(self):
        return self.int64_list.value or self.float_list.value or self.bytes_list.value


def features(feature=None):
    return dict(feature or {})


class Features(Fake):
    """What a model gets: a feature that it gives back has the value that was read."""

    def __init__(self):
        super().__init__("features")

    def __getitem__(self, name):
        value = Fake(f"features[{name}]")
        value.__dict__["stand_in_feature"] = name
        return value


def records_of(path):
    """The records of a TFRecord file: each is a length, a check sum, bytes, a check sum."""
    with open(path, "rb") as file:
        while head := file.read(12):
            yield file.read(struct.unpack("<Q", head[:8])[0])
            file.seek(4, 1)


def records_in(path):
    return sum(1 for _ in records_of(path))


def features_in(paths):
    """The features of each example in the files; nothing where they hold something else."""
    try:
        return [json.loads(one) for path in ([paths] if isinstance(paths, str) else paths)
                for one in records_of(path)]
    except (OSError, TypeError, ValueError):
        return []


def lines_in(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def total(paths, count):
    """The sum over the files, or None where one of them is not there."""
    try:
        return sum(count(path) for path in ([paths] if isinstance(paths, str) else paths))
    except (OSError, TypeError):
        return None


def first_length(value):
    """The length of the first array in a structure, or None."""
    while isinstance(value, (dict, tuple)) and value:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    return None if isinstance(value, Fake) or not hasattr(value, "__len__") else len(value)


class Dataset(Fake):
    """tf.data.Dataset. `examples`: None where they cannot be counted, or have no end; `features`:
    what each holds, as far as that is known."""

    def __init__(self, examples=None, features=()):
        super().__init__("tf.data.Dataset")
        self.__dict__.update(examples=examples, features=features)

    def batch(self, batch_size, drop_remainder=False, **keywords):
        Fake("tf.data.Dataset.batch")(batch_size, drop_remainder=drop_remainder)
        if drop_remainder and self.examples is not None:
            return Dataset(self.examples // batch_size * batch_size, self.features)
        return self.same()

    def repeat(self, count=None):
        return Dataset(self.examples * count if count and count > 0 and self.examples is not None
                       else None)

    def take(self, count):
        return Dataset(None if self.examples is None else min(self.examples, count))

    def apply(self, function):
        return self if isinstance(function, Fake) else function(self)

    def same(self, *arguments, **keywords):
        return Dataset(self.examples, self.features)

    def shuffle(self, *arguments, **keywords):
        return Dataset(self.examples)

    map = prefetch = cache = with_options = same


def from_tensor_slices(tensors):
    return Dataset(first_length(tensors))


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False,
                  num_parallel_calls=None):
    return lambda dataset: dataset.batch(batch_size, drop_remainder=bool(drop_remainder))


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000,
                   num_threads=1):
    return lambda: Dataset(first_length(x)).repeat(num_epochs)


class TFRecordWriter:
    """tf.python_io.TFRecordWriter; the check sums stay zero."""

    def __init__(self, path, options=None):
        self.file = open(path, "wb")

    def write(self, record):
        data = record if isinstance(record, bytes) else str(record).encode()
        self.file.write(struct.pack("<Q4x", len(data)) + data + bytes(4))

    def flush(self):
        self.file.flush()

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


NAMES = {
    "Dataset.from_tensor_slices": from_tensor_slices,
    "Dataset.range": lambda *numbers: Dataset(len(range(*numbers))),
    "data.TFRecordDataset": lambda files, *a, **k: Dataset(total(files, records_in),
                                                           features_in(files)),
    "train.Example": Example, "train.Feature": Feature, "train.Features": features,
    "train.Int64List": Values, "train.FloatList": Values, "train.BytesList": Values,
    "data.TextLineDataset": lambda files, *a, **k: Dataset(total(files, lines_in)),
    "data.map_and_batch": map_and_batch, "experimental.map_and_batch": map_and_batch,
    "inputs.numpy_input_fn": numpy_input_fn,
    "python_io.TFRecordWriter": TFRecordWriter, "io.TFRecordWriter": TFRecordWriter,
}
