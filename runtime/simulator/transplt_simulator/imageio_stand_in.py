# SPDX-License-Identifier: Apache-2.0
"""In the place of imageio and imageio.v2: takes pictures, and writes none. Reading is refused."""

import os

_READING = ("imread", "mimread", "volread", "get_reader", "imiter", "imopen", "read")


class _Writer:
    def append_data(self, picture, meta=None):
        pass

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def _check_folder(uri):
    folder = os.path.dirname(str(uri))
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError("The directory %r does not exist" % folder)


def imwrite(uri, im, format=None, **options):
    _check_folder(uri)


def mimwrite(uri, ims, format=None, **options):
    list(ims)
    _check_folder(uri)


def get_writer(uri, format=None, mode="?", **options):
    _check_folder(uri)
    return _Writer()


imsave, mimsave, volwrite, volsave = imwrite, mimwrite, imwrite, imwrite


def __getattr__(name):
    if name in _READING:
        raise NotImplementedError("imageio is not installed, and its stand-in has no %s: install "
                                  "imageio for this Python" % name)
    raise AttributeError("module 'imageio' has no attribute %r" % name)
