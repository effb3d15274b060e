# SPDX-License-Identifier: Apache-2.0
GRAPH_MODE, PYNATIVE_MODE = 0, 1
_KNOWN = {"mode", "device_target", "device_id", "save_graphs", "save_graphs_path",
          "reserve_class_name_in_scope", "env_config_path", "max_call_depth"}


def set_context(**keywords):
    from . import event
    unknown = set(keywords) - _KNOWN
    if unknown:
        raise ValueError(f"set_context: unknown {sorted(unknown)}")
    event("set_context", keywords=keywords)
