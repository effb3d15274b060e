# SPDX-License-Identifier: Apache-2.0
"""In the place of progress.bar, progress.spinner and progress.counter: counts, and draws nothing."""

import time
from datetime import timedelta


class Infinite:
    def __init__(self, message="", **options):
        self.index, self.message = 0, message
        self.start_ts = time.monotonic()
        self.avg = 0
        for name, value in options.items():
            setattr(self, name, value)

    @property
    def elapsed(self):
        return int(time.monotonic() - self.start_ts)

    @property
    def elapsed_td(self):
        return timedelta(seconds=self.elapsed)

    def update(self):
        pass

    def start(self):
        pass

    def finish(self):
        pass

    def next(self, n=1):
        self.index += n

    def iter(self, values):
        for value in values:
            yield value
            self.next()
        self.finish()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.finish()


class Progress(Infinite):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.max = options.get("max", 100)

    @property
    def eta(self):
        return 0

    @property
    def eta_td(self):
        return timedelta(0)

    @property
    def percent(self):
        return self.progress * 100

    @property
    def progress(self):
        return min(1, self.index / self.max) if self.max else 0

    @property
    def remaining(self):
        return max(self.max - self.index, 0)

    def goto(self, index):
        self.index = index


class Bar(Progress):
    pass


class Spinner(Infinite):
    pass


ChargingBar = FillingSquaresBar = FillingCirclesBar = IncrementalBar = PixelBar = ShadyBar = Bar
PieSpinner = MoonSpinner = LineSpinner = PixelSpinner = Spinner
Counter = Countdown = Stack = Pie = Progress
