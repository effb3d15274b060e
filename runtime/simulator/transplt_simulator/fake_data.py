# SPDX-License-Identifier: Apache-2.0
"""Deterministic stand-ins for the dataset classes of torchvision; nothing is read or downloaded.

They have the interface of the originals and a few hundred pictures, so that a run takes seconds; as
many as the originals, if the script turns out to need them.
Each class has a pattern of its own, so that a network can learn something. Where the batches of a
loader divide the original, or nobody knows its size, they divide the stand-in as well. One batch of
more pictures than a folder has is its last one, which is not full, unless the loader wants full ones:
pictures of a folder are large, and a step on hundreds of them takes minutes on a CPU.
"""

import inspect
import sys
import zlib

from . import old_names, report, steps
from .settings import current as settings

TRAIN_SIZE, TEST_SIZE, FOLDER_SIZE = 1024, 256, 64
_LARGEST_BATCH = 8192
# name -> pictures of the original for training and for tests
_ORIGINAL_SIZES = {
    "MNIST": (60000, 10000), "FashionMNIST": (60000, 10000), "KMNIST": (60000, 10000),
    "QMNIST": (60000, 60000), "CIFAR10": (50000, 10000), "CIFAR100": (50000, 10000),
    "SVHN": (73257, 26032), "STL10": (5000, 8000),
}

_DIGITS = ["%d - %s" % (number, word) for number, word in enumerate(
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))]
_CLOTHES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker",
            "Bag", "Ankle boot"]
_THINGS = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

# name -> (style, class names or their number, size of a picture)
_GREY = {"MNIST": _DIGITS, "QMNIST": _DIGITS, "KMNIST": 10, "EMNIST": 47, "FashionMNIST": _CLOTHES}
_ARRAYS = {"CIFAR10": (_THINGS, 32), "CIFAR100": (100, 32), "SVHN": (10, 32),
           "STL10": (_THINGS, 96)}
_WITH_LABELS = ("SVHN", "STL10")  # where others have targets; their channels come first
_OLD_ATTRIBUTES = (("train_data", "data"), ("test_data", "data"),
                   ("train_labels", "targets"), ("test_labels", "targets"))
_FOLDERS = {"ImageFolder": 2, "DatasetFolder": 2, "ImageNet": 1000}
_PICTURES = {
    "LSUN": 10, "CelebA": 40, "Caltech101": 101, "Caltech256": 257, "Places365": 365,
    "Food101": 101, "Flowers102": 102, "OxfordIIITPet": 37, "StanfordCars": 196, "DTD": 47, "FGVCAircraft": 100,
    "GTSRB": 43, "EuroSAT": 10, "Country211": 211, "SUN397": 397, "USPS": 10, "SEMEION": 10,
    "Omniglot": 964, "FER2013": 7, "PCAM": 2, "RenderedSST2": 2, "INaturalist": 100,
}


def sizes_of(name):
    """Pictures of the stand-in for training and for tests."""
    whole = _ORIGINAL_SIZES.get(name)
    if whole is not None and settings.whole_data:
        return whole
    report.is_short_of_data = report.is_short_of_data or whole is not None
    return TRAIN_SIZE, TEST_SIZE


def _class_names(classes):
    if isinstance(classes, int):
        return ["class %d" % number for number in range(classes)]
    return classes


def _pictures(name, train, count, classes, channels, size):
    """(uint8 numpy array NHWC, list of targets): noise over one pattern for each class."""
    import numpy

    dice = numpy.random.RandomState(zlib.crc32(("%s %s" % (name, train)).encode()))
    patterns = numpy.random.RandomState(zlib.crc32(name.encode())).randint(
        0, 200, (min(classes, 64), 8, 8, channels))
    targets = [number % classes for number in range(count)]
    dice.shuffle(targets)
    scale = -(-size // 8)
    data = numpy.empty((count, size, size, channels), dtype=numpy.uint8)
    for number, target in enumerate(targets):
        pattern = patterns[target % len(patterns)].repeat(scale, 0).repeat(scale, 1)[:size, :size]
        data[number] = pattern + dice.randint(0, 56, (size, size, channels))
    return data, targets


def _wants_training_part(arguments):
    if "train" in arguments:
        return bool(arguments["train"])
    split = arguments.get("split", arguments.get("image_set", "train"))
    return str(split) not in ("test", "val", "valid", "validation")


class _FakeDataset:
    """Mixed into the original class, whose methods that read files it replaces."""

    _spec = None  # (name, style, classes, size)

    def __init__(self, *args, **kwargs):
        name, style, classes, _ = self._spec
        given = self._original_signature.bind_partial(None, *args, **kwargs).arguments
        arguments = dict(given.pop("kwargs", {}), **given)
        self.root = arguments.get("root", "fake")
        self.train = _wants_training_part(arguments)
        self.split = arguments.get("split", "train" if self.train else "val")
        self.transform = arguments.get("transform")
        self.target_transform = arguments.get("target_transform")
        self.transforms = arguments.get("transforms")
        self.loader = None
        self.classes = list(_class_names(classes))
        sizes = _ORIGINAL_SIZES.get(name)
        self._original_size = sizes[0 if self.train else 1] if sizes else None
        self._make(FOLDER_SIZE if style in ("folder", "picture") else sizes_of(name)[not self.train])

    def _make(self, count):
        import torch

        name, style, classes, size = self._spec
        part = "%s %s" % (self.root, self.split) if style == "folder" else self.train
        data, targets = _pictures(name, part, count, len(self.classes),
                                  1 if style == "grey" else 3, size)
        self._fake_targets = targets
        self._set_attributes(torch, style, data, targets)
        self._made = self._contents()

    def _contents(self):
        """What a script may replace by a part of it."""
        return getattr(self, "data", None), self._targets()

    def _targets(self):
        return self.labels if self._spec[0] in _WITH_LABELS else self.targets

    def fit(self, batch, is_full):
        """Grows to a multiple of the batch, if the original is one and the script has not cut it.

        `is_full`: the loader drops batches that are not."""
        count = len(self)
        if batch > count and self._spec[1] == "folder" and not is_full:
            return
        wanted = self._original_size is None or self._original_size % batch == 0
        wanted = wanted or is_full and count < batch <= self._original_size  # or there is no batch at all
        untouched = all(now is made for now, made in zip(self._contents(), self._made))
        if wanted and untouched and count % batch and batch <= _LARGEST_BATCH:
            self._make(-(-count // batch) * batch)

    @property
    def class_to_idx(self):
        return {word: number for number, word in enumerate(self.classes)}

    def _set_attributes(self, torch, style, data, targets):
        if style == "grey":
            self.data, self.targets = torch.from_numpy(data[..., 0].copy()), torch.tensor(targets)
            return
        if style in ("folder", "picture"):
            self._fake_data, self.targets = data, targets
            self.samples = [("fake/%s/%d.png" % (self.classes[target], number), target)
                            for number, target in enumerate(targets)]
            self.imgs = self.samples
            return
        if self._spec[0] in _WITH_LABELS:
            import numpy

            self.data, self.labels = data.transpose(0, 3, 1, 2).copy(), numpy.asarray(targets)
        else:
            self.data, self.targets = data, targets

    def _picture(self, index):
        from PIL import Image

        style = self._spec[1]
        if style == "grey":
            return Image.fromarray(self.data[index].numpy(), mode="L")
        if style in ("folder", "picture"):
            return Image.fromarray(self._fake_data[index])
        data = self.data[index]
        channels_first = self._spec[0] in _WITH_LABELS
        return Image.fromarray(data.transpose(1, 2, 0) if channels_first else data)

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        picture, target = self._picture(index), int(self._targets()[index])
        if self.transforms is not None:
            return self.transforms(picture, target)
        if self.transform is not None:
            picture = self.transform(picture)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return picture, target

    def __len__(self):
        return len(getattr(self, "data", self._fake_targets))

    def __repr__(self):
        return "Dataset %s (simulated, %d pictures)" % (type(self).__name__, len(self))

    def download(self):
        pass

    def extra_repr(self):
        return ""


def _old_attribute(original, old, now):
    """`train_data` was an attribute once; digits still have it, as one that cannot be set."""
    can_be_read = hasattr(original, old)

    def get(self):
        if not can_be_read:
            old_names.accept("dataset." + old, "dataset." + now)
        return getattr(self, now)

    def put(self, value):
        old_names.accept("dataset." + old, "dataset." + now)
        setattr(self, now, value)

    def drop(self):  # the other old name of `data` may still be in use
        old_names.accept("dataset." + old, "dataset." + now)

    return property(get, put, drop)


def _fake_class(original, spec):
    attributes = {old: _old_attribute(original, old, now) for old, now in _OLD_ATTRIBUTES
                  if spec[1] in ("grey", "array") and spec[0] not in _WITH_LABELS}
    attributes.update(_spec=spec, __module__=original.__module__, __doc__=original.__doc__,
                      _original_signature=inspect.signature(original.__init__))
    made = type(original.__name__, (_FakeDataset, original), attributes)
    return made


def _limited_fake_data(original):
    """torchvision's own FakeData, with fewer pictures."""

    class FakeData(original):
        def __init__(self, size=1000, *args, **kwargs):
            super().__init__(min(size, TEST_SIZE), *args, **kwargs)

    FakeData.__module__ = original.__module__
    FakeData.__qualname__ = "FakeData"
    return FakeData


def _wrap_loader(kind):
    original = kind.__init__

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None,
                 num_workers=0, collate_fn=None, pin_memory=False, drop_last=False,
                 *args, **kwargs):
        if isinstance(batch_size, int) and batch_size > 0 and batch_sampler is None:
            report.once("batches", batch_size, count=batch_size)
            batch_size = min(batch_size, settings.largest_batch or batch_size)
            if isinstance(dataset, _FakeDataset) and sampler is None:
                dataset.fit(batch_size, drop_last)
        original(self, dataset, batch_size, shuffle, sampler, batch_sampler, num_workers,
                 collate_fn, pin_memory, drop_last, *args, **kwargs)

    begin = kind.__iter__

    def __iter__(self):
        steps.expect_the_first(self.batch_size or 0)
        return begin(self)

    kind.__init__, kind.__iter__ = __init__, __iter__


def _wrap_split(module):
    """Lengths that add up to the original's are scaled to the stand-in."""
    original = module.random_split

    def random_split(dataset, lengths, *args, **kwargs):
        whole = getattr(dataset, "_original_size", None)
        lengths = list(lengths)
        if isinstance(dataset, _FakeDataset) and whole is not None and sum(lengths) == whole:
            lengths = [length * len(dataset) // whole for length in lengths]
            lengths[0] += len(dataset) - sum(lengths)
        return original(dataset, lengths, *args, **kwargs)

    for place in (module, sys.modules[original.__module__]):
        place.random_split = random_split


def install_loaders(torch):
    """What goes by the sizes of the stand-ins; a script may import it before torchvision."""
    _wrap_loader(torch.utils.data.DataLoader)
    _wrap_split(torch.utils.data)


def _specs():
    specs = {name: (name, "grey", classes, 28) for name, classes in _GREY.items()}
    specs.update({name: (name, "array", classes, size)
                  for name, (classes, size) in _ARRAYS.items()})
    specs.update({name: (name, "folder", classes, 64) for name, classes in _FOLDERS.items()})
    specs.update({name: (name, "picture", classes, 64) for name, classes in _PICTURES.items()})
    return specs


def install(module):
    """Replaces the dataset classes of torchvision.datasets."""
    fakes = {}
    for name, spec in _specs().items():
        original = getattr(module, name, None)
        if inspect.isclass(original):
            fakes[name] = (original, _fake_class(original, spec))
    if hasattr(module, "FakeData"):
        fakes["FakeData"] = (module.FakeData, _limited_fake_data(module.FakeData))
    for name, (original, fake) in fakes.items():
        for place in (module, sys.modules.get(original.__module__)):
            if place is not None and getattr(place, name, None) is original:
                setattr(place, name, fake)
