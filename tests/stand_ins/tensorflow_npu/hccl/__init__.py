# SPDX-License-Identifier: Apache-2.0
"""Stands in for hccl: ranks are known only after initialize_system has run."""

import os as _os

from npu_stand_in import names as _names
from npu_stand_in import record as _record
from npu_stand_in import session as _session


def _rank(name, variable, default):
    def get(group="hccl_world_group"):
        if not _session.STATE["initialized"]:
            raise RuntimeError(f"{name}: hccl is not initialized; run initialize_system first")
        _record.event("hccl", name=name)
        return int(_os.environ.get(variable, default))
    get.__name__ = name
    return get


RANKS = {name: _rank(name, variable, default) for name, variable, default in (
    ("get_rank_id", "RANK_ID", 0), ("get_rank_size", "RANK_SIZE", 1),
    ("get_local_rank_id", "DEVICE_ID", 0), ("get_local_rank_size", "RANK_SIZE", 1))}


def _fill(module):
    if module.__name__ == "hccl.manage.api":
        vars(module).update(RANKS)


_names.serve("hccl", _fill)
