# SPDX-License-Identifier: Apache-2.0
"""Stands in for horovod, as it is on a machine with GPUs: calls are recorded."""

from npu_stand_in import names as _names
from npu_stand_in import record as _record
from npu_stand_in.fake import Fake as _Fake


def _recorded(name, result):
    def call(*arguments, **keywords):
        _record.event("horovod", name=name, arguments=_record.describe(arguments))
        return result(*arguments)
    call.__name__ = name
    return call


_CALLS = {name: _recorded(name, result) for name, result in (
    ("init", lambda *a: None), ("rank", lambda *a: 0), ("local_rank", lambda *a: 0),
    ("size", lambda *a: 1), ("local_size", lambda *a: 1),
    ("DistributedOptimizer",
     lambda *a: _Fake(f"hvd.DistributedOptimizer({_record.describe(a[0])})")),
    ("BroadcastGlobalVariablesHook", lambda *a: _Fake("hvd.BroadcastGlobalVariablesHook")))}


def _fill(module):
    if module.__name__ in ("horovod.tensorflow", "horovod.tensorflow.keras", "horovod.keras"):
        vars(module).update(_CALLS)


_names.serve("horovod", _fill)
