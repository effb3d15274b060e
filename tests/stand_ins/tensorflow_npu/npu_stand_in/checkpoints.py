# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: only the file that says which one is the latest is written and read."""

import pathlib
import re

from npu_stand_in.fake import Fake

LATEST = "checkpoint"


class Saver(Fake):
    """tf.train.Saver."""

    def __init__(self, *arguments, **keywords):
        super().__init__("tf.train.Saver()")

    def save(self, sess, save_path, global_step=None, latest_filename=None, **keywords):
        if not isinstance(save_path, str):
            return Fake("tf.train.Saver().save()")
        if isinstance(global_step, Fake):
            global_step = sess.runs
        path = save_path if global_step is None else f"{save_path}-{global_step}"
        folder = pathlib.Path(path).parent
        if not folder.is_dir():
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        (folder / (latest_filename or LATEST)).write_text(
            f'model_checkpoint_path: "{path}"\n', encoding="utf-8")
        return path


class State:
    def __init__(self, path):
        self.model_checkpoint_path, self.all_model_checkpoint_paths = path, [path]


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """tf.train.get_checkpoint_state: None where nothing has been saved."""
    try:
        text = (pathlib.Path(checkpoint_dir) / (latest_filename or LATEST)).read_text("utf-8")
    except (OSError, TypeError):
        return None
    found = re.search('model_checkpoint_path: "(.*)"', text)
    return State(found.group(1)) if found else None


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    return state.model_checkpoint_path if state else None


NAMES = {"train.Saver": Saver, "train.get_checkpoint_state": get_checkpoint_state,
         "train.latest_checkpoint": latest_checkpoint}
