# SPDX-License-Identifier: Apache-2.0
"""Weights that a script would download: a model that gets them keeps the values it began with.

Weights that have been downloaded before are read as ever.
"""

import collections
import os
import urllib.parse

from . import report


class _NoWeights(collections.OrderedDict):
    """A state that changes nothing in the module that loads it."""


def _is_there(hub, url, model_dir, file_name):
    name = file_name or os.path.basename(urllib.parse.urlparse(url).path)
    return os.path.exists(os.path.join(model_dir or os.path.join(hub.get_dir(), "checkpoints"), name))


def _wrap_download(hub):
    original = hub.load_state_dict_from_url

    def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False,
                                 file_name=None, **options):
        if _is_there(hub, url, model_dir, file_name):
            return original(url, model_dir, map_location, progress, check_hash, file_name, **options)
        report.once("fake_weights", url)
        return _NoWeights()

    hub.load_state_dict_from_url = load_state_dict_from_url


def _wrap_loading(torch):
    kind = torch.nn.Module
    original = kind.load_state_dict

    def load_state_dict(self, state_dict, *args, **kwargs):
        if isinstance(state_dict, _NoWeights) and not state_dict:
            return torch.nn.modules.module._IncompatibleKeys([], [])
        return original(self, state_dict, *args, **kwargs)

    kind.load_state_dict = load_state_dict


def install(torch):
    _wrap_download(torch.hub)
    from torch.utils import model_zoo

    model_zoo.load_url = torch.hub.load_state_dict_from_url
    _wrap_loading(torch)
