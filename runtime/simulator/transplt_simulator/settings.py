# SPDX-License-Identifier: Apache-2.0
"""What the environment variables TRANSPLT_SIMULATE* ask for."""

import os


class Settings:
    """One reading of the environment; a process has one, see `current`."""

    def __init__(self, environment):
        def get(name, default=""):
            return environment.get("TRANSPLT_SIMULATE" + name, default)

        self.simulate = get("")
        self.report_folder = get("_REPORT")
        self.project = os.path.realpath(get("_PROJECT")) if get("_PROJECT") else ""
        self.torch_npu = get("_TORCH_NPU") or "2.1.0"
        self.devices = int(get("_DEVICES") or 1)
        self.seed = int(get("_SEED")) if get("_SEED") else None
        self.steps = int(get("_STEPS")) if get("_STEPS") else None
        self.end_at = float(get("_END_AT")) if get("_END_AT") else None
        self.fake_data = get("_FAKE_DATA") in ("1", "whole")
        self.whole_data = get("_FAKE_DATA") == "whole"
        self.first_step = float(get("_FIRST_STEP")) if get("_FIRST_STEP") else None
        self.small_batch = int(get("_SMALL_BATCH") or 0)
        self.largest_batch = int(get("_LARGEST_BATCH")) if get("_LARGEST_BATCH") else None

    @property
    def device_type(self):
        """The type of the simulated device, None if there is none."""
        return self.simulate if self.simulate in ("npu", "cuda") else None


current = Settings(os.environ)
