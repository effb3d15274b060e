# SPDX-License-Identifier: Apache-2.0
"""Files of well-known data sets that a script downloads by itself: they have the form and the size
of the originals, and no byte of them.

What is asked for is known by its address: the names of these files are the same on every mirror.
"""

import functools
import gzip
import io
import pickle
import tarfile
import urllib.parse

from . import fake_copies, fake_data, report

_PARTS = {"train": True, "t10k": False}


def _digits_of(address):
    """The sets whose files have MNIST's names lie in folders of their own."""
    for word, name in (("fashion", "FashionMNIST"), ("kmnist", "KMNIST")):
        if word in address.lower():
            return name
    return "MNIST"


def _idx(address, file):
    part, _, kind = file.partition("-")
    train = _PARTS[part]
    name = _digits_of(address)
    pictures, labels = fake_copies.digits(name, train, fake_data._ORIGINAL_SIZES[name][not train])
    return fake_copies.idx(pictures if kind.startswith("images") else labels)


def _archive(name, folder):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", compresslevel=1) as archive:
        for file, content in fake_copies.batches(name, fake_data._ORIGINAL_SIZES[name]):
            content = pickle.dumps(content, protocol=2)
            entry = tarfile.TarInfo(folder + "/" + file)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def _content(address):
    """What lies at this address, or None if that is not known."""
    file = urllib.parse.urlsplit(address).path.rpartition("/")[2]
    for part in _PARTS:
        for kind in ("images-idx3-ubyte", "labels-idx1-ubyte"):
            plain = "%s-%s" % (part, kind)
            if file == plain:
                return _idx(address, plain)
            if file == plain + ".gz":
                return gzip.compress(_idx(address, plain), 1)
    for name, folder in (("CIFAR10", "cifar-10"), ("CIFAR100", "cifar-100")):
        if file == folder + "-python.tar.gz":
            return _archive(name, folder + ("-batches-py" if name == "CIFAR10" else "-python"))
    return None


def _text(address):
    return address if isinstance(address, str) else getattr(address, "full_url", "")


def _served(address):
    content = _content(address)
    if content is not None:
        report.once("fake_download", address)
    return content


def install(module):
    """Into urllib.request."""
    import email.message
    import urllib.response

    original = module.urlopen

    @functools.wraps(original)
    def urlopen(url, *args, **kwargs):
        content = _served(_text(url))
        if content is None:
            return original(url, *args, **kwargs)
        headers = email.message.Message()
        headers["Content-Length"] = str(len(content))
        return urllib.response.addinfourl(io.BytesIO(content), headers, _text(url), 200)

    module.urlopen = urlopen


def install_requests(module):
    """Into requests."""
    original = module.Session.send

    @functools.wraps(original)
    def send(self, request, **kwargs):
        content = _served(request.url)
        if content is None:
            return original(self, request, **kwargs)
        response = module.Response()
        response.status_code, response.url, response.request = 200, request.url, request
        response.headers["Content-Length"] = str(len(content))
        response.raw = io.BytesIO(content)
        return response

    module.Session.send = send
