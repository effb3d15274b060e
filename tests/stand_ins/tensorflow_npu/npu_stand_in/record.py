# SPDX-License-Identifier: Apache-2.0
"""The record: one JSON object per line, in the order in which things happen."""

import json
import os


def event(what, /, **fields):
    """Appends an event to the file that TRANSPLT_RECORD names; without it nothing is kept."""
    path = os.environ.get("TRANSPLT_RECORD")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"event": what, **fields}, default=describe) + "\n")


def describe(value):
    """A value as JSON can hold it: what is plain as it is, the rest by its name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, dict):
        return {str(key): describe(item) for key, item in value.items()}
    if "stand_in_name" in dir(type(value)):
        return value.stand_in_name
    return getattr(value, "__name__", None) or type(value).__name__
