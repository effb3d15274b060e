#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt_distributed in 1, 2 and 4 processes: the same training as on one card.

Each number of processes is started once; behaviours.py runs all behaviours there. Four processes
are started where TRANSPLT_LONG is set."""

import functools
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
RUNTIME = HERE.parents[2] / "runtime"
FOLDERS = []


def environment(count, simulated, folder):
    found = {key: value for key, value in os.environ.items() if not key.startswith("TRANSPLT_")}
    found.update(PYTHONPATH=str(RUNTIME / "python"), PYTHONDONTWRITEBYTECODE="1",
                 OMP_NUM_THREADS="1")
    if simulated:
        report = folder / "report"
        report.mkdir()
        found.update(PYTHONPATH=f"{RUNTIME / 'simulator'}:{RUNTIME / 'python'}",
                     TRANSPLT_SIMULATE="npu", TRANSPLT_SIMULATE_DEVICES=str(count),
                     TRANSPLT_SIMULATE_REPORT=str(report), TRANSPLT_SIMULATE_PROJECT=str(HERE))
    if count > 1:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        found.update(WORLD_SIZE=str(count), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    return found


def refused(report):
    """What a device would have refused, as the simulator reports it."""
    events = [json.loads(line) for file in report.iterdir()
              for line in file.read_text(encoding="utf-8").splitlines()]
    if not any(event["event"] == "work" for event in events):
        return ["nothing ran on a device"]
    return [event for event in events if event["event"] in ("violation", "residual")]


@functools.lru_cache(None)
def run(count, simulated=False, original=False):
    """What each process gave: a list of {behaviour: value}."""
    FOLDERS.append(tempfile.TemporaryDirectory())
    folder = pathlib.Path(FOLDERS[-1].name)
    variables = environment(count, simulated, folder)
    if original:
        variables["ORIGINAL"] = "1"
    processes, wrong = [], []
    try:
        for rank in range(count):
            if count > 1:
                variables.update(RANK=str(rank), LOCAL_RANK=str(rank))
            with open(folder / f"{rank}.txt", "w", encoding="utf-8") as output:
                processes.append(subprocess.Popen(
                    [sys.executable, str(HERE / "behaviours.py"), str(folder)],
                    env=dict(variables), stdout=output, stderr=subprocess.STDOUT))
        for process in processes:
            process.wait(100)
    except subprocess.TimeoutExpired:
        wrong.append("hangs")
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for rank, process in enumerate(processes):
        if process.returncode != 0:
            text = (folder / f"{rank}.txt").read_text(encoding="utf-8")
            wrong.append(f"process {rank} ends with {process.returncode}\n{text[-3000:]}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    if simulated:
        wrong = refused(folder / "report")
        if wrong:
            raise AssertionError("\n".join(map(str, wrong)))
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(count)]


def tearDownModule():
    for folder in FOLDERS:
        folder.cleanup()


class SeveralProcesses(unittest.TestCase):
    """The tests for one number of processes."""

    count, simulated = 2, False

    @classmethod
    def setUpClass(cls):
        cls.results = run(cls.count, cls.simulated)

    def of_each(self, behaviour):
        values = [result[behaviour] for result in self.results]
        for value in values:
            if isinstance(value, dict) and "error" in value:
                self.fail(value["error"])
        return values

    def of_all(self, behaviour):
        """The value that is the same in all processes."""
        first, *others = self.of_each(behaviour)
        for other in others:
            self.assertEqual(other, first)
        return first

    def assert_like_one_card(self, behaviour):
        actual, expected = self.of_all(behaviour), run(1)[0][behaviour]
        self.assertEqual(len(actual), len(expected))
        self.assertGreater(len(expected), 5)
        for step, (one, other) in enumerate(zip(actual, expected)):
            self.assertTrue(math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-7),
                            f"step {step}: {one} instead of {other}")


class Two(SeveralProcesses):
    # The same losses

    def test_a_shuffled_loader_with_a_mean_loss_trains_as_on_one_card(self):
        self.assert_like_one_card("shuffled_loader_with_mean_loss")

    def test_a_shuffled_loader_with_a_summed_loss_trains_as_on_one_card(self):
        self.assert_like_one_card("shuffled_loader_with_summed_loss")

    def test_a_last_batch_with_fewer_items_than_processes_counts_as_on_one_card(self):
        self.assert_like_one_card("last_batch_of_one_item")

    def test_a_batch_that_cannot_be_divided_counts_as_on_one_card(self):
        self.assert_like_one_card("batch_size_that_cannot_be_divided")

    def test_a_dropped_last_batch_is_dropped(self):
        self.assert_like_one_card("drop_last")

    def test_a_weighted_sampler_draws_as_on_one_card(self):
        self.assert_like_one_card("weighted_sampler")

    def test_a_batch_sampler_of_the_project_draws_as_on_one_card(self):
        self.assert_like_one_card("batch_sampler_of_its_own")

    def test_a_batch_sampler_without_an_end_draws_as_on_one_card(self):
        self.assert_like_one_card("endless_batch_sampler")

    def test_worker_processes_load_the_parts(self):
        self.assert_like_one_card("workers")

    def test_the_generator_of_a_loader_draws_as_on_one_card(self):
        self.assert_like_one_card("generator_of_its_own")

    def test_a_loader_that_keeps_its_iterator_gives_parts(self):
        self.assert_like_one_card("loader_that_keeps_its_iterator")

    def test_splits_between_epochs_are_alike_in_all_processes(self):
        self.assert_like_one_card("splits_that_are_made_between_epochs")

    def test_gradients_accumulate_and_are_clipped_as_on_one_card(self):
        self.assert_like_one_card("accumulated_gradients")

    def test_methods_of_the_model_train_as_on_one_card(self):
        self.assert_like_one_card("methods_with_parameters_of_their_own")

    def test_a_branch_that_one_process_takes_trains_as_on_one_card(self):
        self.assert_like_one_card("branches_that_only_some_processes_take")

    def test_layers_may_be_frozen_and_thawed(self):
        self.assert_like_one_card("layers_that_are_frozen_and_thawed")

    def test_checkpointed_layers_train_as_on_one_card(self):
        self.assert_like_one_card("checkpointed_layers")

    def test_without_batches_each_process_gets_another_item(self):
        lengths, seen = zip(*self.of_each("one_item_at_a_time_without_batches"))
        self.assertEqual(set(lengths), {-(-10 // self.count)})
        self.assertEqual({item for items in seen for item in items}, set(range(10)))

    def test_a_gan_with_batch_norm_has_the_same_state_in_all_processes(self):
        state = self.of_all("gan_with_batch_norm")
        self.assertTrue(all(map(math.isfinite, state)))

    def test_batch_norm_gets_two_items_where_a_process_has_fewer(self):
        losses = self.of_all("batch_norm_with_few_items")
        self.assertEqual(len(losses), 12)
        self.assertTrue(all(map(math.isfinite, losses)))

    # What the program keeps

    def test_a_wrapped_module_is_copied_and_saved_bare(self):
        self.assertEqual(self.of_all("a_wrapped_module_stays_what_it_was"), [True] * 5)

    def test_the_loader_itself_gives_whole_batches(self):
        for *equal, kept, sizes in self.of_each("the_loader_itself_gives_everything"):
            self.assertEqual(equal, [True, True, 8, True, True])
            self.assertEqual(kept, 45)
            self.assertEqual(sizes[:-1], [8 // self.count] * 5)

    def test_data_parallel_runs_on_the_device_of_the_process(self):
        keys, is_data_parallel, *losses = self.of_all("data_parallel")
        self.assertEqual(keys[0], "module.0.weight")
        self.assertTrue(is_data_parallel)
        self.assertEqual(losses, self.of_all("shuffled_loader_with_mean_loss"))

    def test_what_is_no_module_is_left_as_it_is(self):
        self.assertEqual(self.of_all("lambdas_and_none_are_not_modules"), [True, True])

    # Numbers

    def test_numbers_are_added_and_averaged_in_their_type(self):
        found = self.of_all("numbers_over_processes")
        count = self.count
        added = sum(range(1, count + 1))
        self.assertEqual(found["int"], added)
        self.assertAlmostEqual(found["float"], added / count + 0.1, places=12)
        self.assertEqual(found["bool"], 1)
        self.assertEqual(found["half"], ["torch.float16", added, 2 * count])
        self.assertEqual(found["whole"], ["torch.int64", added, "npu" if self.simulated else "cpu"])
        self.assertEqual(found["flag"], [1])
        self.assertFalse(found["grad"])
        self.assertAlmostEqual(found["double"], added / count / 3, places=12)

    def test_numbers_stay_where_no_batch_is_divided(self):
        self.assertEqual(self.of_all("numbers_where_no_batch_is_divided"), [3, 0.5])

    def test_counts_of_an_epoch_are_those_of_one_card(self):
        self.assertEqual(self.of_all("counts_of_an_epoch"), run(1)[0]["counts_of_an_epoch"])
        self.assertEqual(self.of_all("counts_of_an_epoch")[1], 41)

    def test_process_0_decides(self):
        self.assertEqual(self.of_all("process_0_decides"), [True, False])

    # Random numbers

    def test_process_0_draws_as_one_card_and_the_others_draw_others_in_a_loop(self):
        found = self.of_each("random_numbers")
        alone = run(1)[0]["random_numbers"]
        self.assertEqual(found[0], alone)
        for kind in range(3):
            inside = [step[kind] for one in found for step in one["inside"]]
            self.assertEqual(len(set(inside)), len(inside))
        again = [value for one in found for value in one["again"] + one["inside"][0][:1]]
        self.assertEqual(len(set(again)), len(again))

    def test_random_numbers_are_alike_after_a_loop(self):
        self.assertEqual({str(one["after"]) for one in self.of_each("random_numbers")},
                         {str(run(1)[0]["random_numbers"]["after"])})

    def test_workers_draw_other_numbers_in_each_process(self):
        drawn = [value for one in self.of_each("random_numbers_of_workers") for value in one]
        self.assertEqual(len(drawn), 16)
        self.assertEqual(len(set(drawn)), 16)

    # Files

    def test_only_process_0_writes_and_prints(self):
        for rank, (text, log, said, nothing) in enumerate(self.of_each("files_of_process_0")):
            self.assertEqual([text, log], ["main!", "an error\n"])
            self.assertEqual(said, "forced\n" if rank else "silent forced\n")
            self.assertEqual(nothing, ["", False, [], False, 0] if rank else 0)

    def test_only_process_0_shows_progress(self):
        for rank, found in enumerate(self.of_each("progress_bars")):
            self.assertEqual(found, [rank > 0, False])

    def test_checkpoints_come_to_the_device_of_the_process(self):
        for rank, found in enumerate(self.of_each("checkpoints")):
            here = f"npu:{rank}" if self.simulated else "cpu"
            self.assertEqual(found, [here, "cpu", "cpu", here])

    def test_the_others_start_when_process_0_has_finished(self):
        existed = self.of_each("process_0_is_first")
        self.assertEqual(existed, [False] + [True] * (self.count - 1))

    def test_where_process_0_fails_first_the_others_fail_too(self):
        first, *others = self.of_each("process_0_fails_first")
        self.assertEqual(first, "OSError: no network")
        for rank, other in enumerate(others, 1):
            self.assertEqual(other, "RuntimeError: download has failed in process 0, whose message "
                                    f"says why; so process {rank} ends, too")

    def test_where_another_process_fails_all_fail(self):
        *others, last = self.of_each("another_process_fails")
        self.assertEqual(last, "OSError: no disk")
        for other in others:
            self.assertIn(f"read has failed in process {self.count - 1}", other)

    # Errors

    def test_errors_say_what_is_wrong_and_what_to_do(self):
        for rank, found in enumerate(self.of_each("what_cannot_be_divided")):
            self.assertIn("TypeError: cannot divide a list among processes", found["list"])
            self.assertIn("RuntimeError: Stream is an IterableDataset", found["stream"])
            self.assertIn(f"a batch has 1 items, but there are {self.count} processes",
                          found["small"])
            self.assertEqual(found["sampler"], "ValueError: no order" if rank == 0 else
                             f"RuntimeError: process 0 has failed, and so process {rank} ends: "
                             "ValueError('no order')")

    def test_a_module_on_the_device_of_another_process_is_refused(self):
        for rank, found in enumerate(self.of_each("module_on_the_device_of_another")):
            if self.simulated:
                other = (rank + 1) % self.count
                self.assertIn(f"a Linear has parameters on npu:{other}, but process {rank} uses "
                              f"npu:{rank}", found)


@unittest.skipUnless(os.environ.get("TRANSPLT_LONG"), "takes long: see soak")
class Four(Two):
    count = 4


class TwoOnSimulatedNpus(Two):
    simulated = True


class One(SeveralProcesses):
    count = 1

    def test_training_is_the_same_bit_for_bit_as_without_the_module(self):
        original = run(1, original=True)[0]
        compared = 0
        for name, value in original.items():
            if isinstance(value, list) and all(isinstance(one, float) for one in value):
                self.assertEqual(self.of_all(name), value, name)
                compared += 1
        self.assertGreater(compared, 12)

    def test_random_numbers_are_those_without_the_module(self):
        self.assertEqual(self.of_all("random_numbers"),
                         run(1, original=True)[0]["random_numbers"])

    def test_launchers_tell_their_numbers(self):
        found = self.of_all("launchers")
        self.assertEqual(found["none"], [0, 1, 0])
        self.assertEqual(found["single"], [0, 1, 0])
        self.assertEqual(found["torchrun"], [3, 4, 1])
        self.assertEqual(found["ascend"], [3, 4, 2])
        self.assertIn("LOCAL_RANK is not set", found["missing"])
        self.assertIn("RANK is 'one', not a number", found["wrong"])
        self.assertIn("RANK is 4, but WORLD_SIZE is 4: ranks go from 0 to 3", found["large"])


if __name__ == "__main__":
    unittest.main()
