#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt compare on dumps that are made here, against float64 in numpy.

With TRANSPLT_LONG there are 10,000 files, and tensors of 5 GB.
"""

import csv
import json
import math
import os
import resource
import sys
import unittest

import numpy as np

sys.dont_write_bytecode = True
import dump_files  # noqa: E402
from compare_reference import metrics  # noqa: E402
from program import LONG, ProgramTest, memory_limit  # noqa: E402

# Sums of float32 keep about six digits; the divergence is promised to 1e-3.
CLOSE = 2e-5
TOLERANCES = {"kl_divergence": 1e-3, "within_1e3": 1e-3, "within_5e3": 1e-3}


def number(value):
    return float(value) if not isinstance(value, str) else float(value.replace("inf", "inf"))


FILES = 10_000 if LONG else 1000
ELEMENTS = 5 << 28 if LONG else 1 << 26  # 5 GB on each side, or 256 MB


class CompareCase(ProgramTest):
    def save(self, place, array):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, array)

    def save_pair(self, name, a, b):
        self.save(f"a/{name}.npy", a)
        self.save(f"b/{name}.npy", b)

    def compare(self, code, *options, **settings):
        result = self.run_for(code, "compare", "a", "b", "--json", *options, **settings)
        found = json.loads(result.stdout)
        self.rows = {(row["b"] or row["a"])["name"]: row for row in found["tensors"]}
        return found

    def compare_one(self, code, a, b, *options):
        self.save_pair("t", a, b)
        self.compare(code, *options)
        return self.rows["t"]

    @staticmethod
    def distance(a, b):
        return metrics(a, b)["relative_euclidean"] or 0

    def assert_metrics(self, row, a, b, epsilon=2.0 ** -23):
        for name, expected in metrics(a, b, epsilon).items():
            if expected is None:
                continue
            got = number(row["metrics"][name])
            limit = TOLERANCES.get(name, CLOSE)
            if name == "cosine":
                # Of a cosine near one, its distance from one is what counts.
                limit = 5e-3 * abs(1 - expected) + 1e-6 * self.distance(a, b) ** 2 + 4e-16
                self.assertAlmostEqual(1 - got, 1 - expected, delta=limit)
            elif expected in (0, math.inf):
                self.assertEqual(got, expected, name)
            else:
                self.assertLessEqual(abs(got - expected), limit * abs(expected) + 1e-300,
                                     f"{name}: {got} is not {expected}")


class TheNumbers(CompareCase):
    def near(self, count, noise, seed=0, offset=0.0):
        rng = np.random.default_rng(seed)
        golden = rng.standard_normal(count) + offset
        return golden + noise * rng.standard_normal(count), golden

    def test_are_those_of_float64_for_float32(self):
        for count in (1, 7, 8191, 8192, 8193, 100_003):
            x, y = (v.astype(np.float32) for v in self.near(count, 1e-4, seed=count))
            with self.subTest(count=count):
                row = self.compare_one(0 if count > 1 else 0, x, y, "--rtol", "1")
                self.assert_metrics(row, x, y)

    def test_of_the_divergence_are_right_for_tensors_that_nearly_agree(self):
        for noise in (1e-7, 1e-5, 1e-2, 1.0):
            x, y = (v.astype(np.float32) for v in self.near(200_000, noise, seed=3))
            with self.subTest(noise=noise):
                row = self.compare_one(0, x, y, "--rtol", "10")
                expected = metrics(x, y)["kl_divergence"]
                got = row["metrics"]["kl_divergence"]
                self.assertLessEqual(abs(got - expected), 1e-3 * expected)
                self.assertGreater(expected, 0)

    def test_are_those_of_float64_for_every_type(self):
        rng = np.random.default_rng(1)
        for kind in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                     "uint16", "uint32", "uint64"):
            wide = rng.standard_normal(5001) * 40 + 60
            x, y = wide.astype(kind), (wide + rng.integers(0, 2, 5001)).astype(kind)
            with self.subTest(kind=kind):
                row = self.compare_one(0, x, y, "--rtol", "10")
                epsilon = {"float16": 2.0 ** -10, "float32": 2.0 ** -23}.get(kind, 2.0 ** -52)
                self.assert_metrics(row, x, y, epsilon)

    def test_of_bool_and_of_different_types_are_compared(self):
        x = np.array([True, False, True, True])
        row = self.compare_one(1, x, np.array([1, 0, 0, 1], dtype=np.int64))
        self.assertEqual(row["metrics"]["max_absolute"], 1)
        self.assertIn("types differ: bool and int64", row["message"])

    def test_keep_their_digits_where_float32_would_lose_them(self):
        rng = np.random.default_rng(5)
        base = rng.standard_normal(20_000)
        cases = {"small deviation": 1000 + base * 1e-2, "tiny": base * 1e-25, "huge": base * 1e25,
                 "jumps": np.concatenate([base, 1e6 + base, np.zeros(9000)]),
                 "tiny golden values": np.where(np.arange(20_000) % 3 == 0, base * 1e-18, base)}
        for name, golden in cases.items():
            y = golden.astype(np.float32)
            x = (golden * (1 + 1e-3 * np.cos(np.arange(len(golden))))).astype(np.float32)
            with self.subTest(name=name):
                row = self.compare_one(0, x, y, "--rtol", "1")
                self.assert_metrics(row, x, y)

    def test_follow_both_conventions_for_zero(self):
        y = np.array([0, 0, 1, 2], dtype=np.float32)
        x = np.array([0, 0.5, 1.1, 2], dtype=np.float32)
        row = self.compare_one(1, x, y)
        self.assertAlmostEqual(row["metrics"]["max_relative"], 0.1, places=6)
        self.assertAlmostEqual(row["metrics"]["max_relative_msprobe"], 0.5 * 2 ** 23, delta=1)
        self.assertEqual(row["metrics"]["within_1e3"], 0.5)

    def test_leave_out_what_is_not_finite_and_count_it(self):
        rng = np.random.default_rng(2)
        y = rng.standard_normal(30_000).astype(np.float32)
        x = y * np.float32(1.0001)
        for place in (0, 9000, 29_999):
            x[place] = y[place] = np.nan
        x[5] = y[5] = np.inf
        row = self.compare_one(0, x, y)
        self.assert_metrics(row, x, y)
        self.assertEqual((row["metrics"]["nan_a"], row["metrics"]["inf_b"]), (3, 1))
        self.assertEqual(row["metrics"]["non_finite_mismatch"], 0)

    def test_differ_where_only_one_side_is_not_finite(self):
        y = np.ones(100, dtype=np.float32)
        for bad in (np.nan, np.inf):
            x = y.copy()
            x[50] = bad
            row = self.compare_one(1, x, y)
            self.assertEqual(row["result"], "differs")
            self.assertIn("1 places are NaN or infinite", row["message"])
        x, y = np.float32([np.inf, 1]), np.float32([-np.inf, 1])
        self.assertEqual(self.compare_one(1, x, y)["metrics"]["non_finite_mismatch"], 1)

    def test_exist_for_scalars_empty_and_constant_tensors(self):
        self.save_pair("scalar", np.float32(2), np.float32(2))
        self.save_pair("empty", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
        self.save_pair("constant", np.full(100, 3, np.float32), np.full(100, 3, np.float32))
        self.save_pair("nothing but nan", np.full(9, np.nan), np.full(9, np.nan))
        self.compare(0)
        self.assertEqual({row["result"] for row in self.rows.values()}, {"same"})
        self.assertEqual(self.rows["scalar"]["metrics"]["cosine"], 1)
        self.assertEqual(self.rows["constant"]["metrics"]["kl_divergence"], 0)
        self.assertEqual(self.rows["empty"]["metrics"]["cosine"], "nan")

    def test_do_not_depend_on_order_or_byte_order_in_the_file(self):
        y = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        self.save_pair("fortran", np.asfortranarray(y), y)
        self.save_pair("big", y.astype(">f4"), y)
        self.save_pair("complex", (y + 1j).astype(np.complex64), (y + 1j).astype(np.complex64))
        self.compare(0)
        self.assertEqual({row["result"] for row in self.rows.values()}, {"same"})

    def test_need_no_second_pass_without_the_divergence(self):
        x, y = (v.astype(np.float32) for v in self.near(50_000, 1e-3, seed=9))
        row = self.compare_one(0, x, y, "--rtol", "1", "--no-kl")
        self.assertEqual(row["metrics"]["kl_divergence"], "nan")
        self.assertAlmostEqual(row["metrics"]["root_mean_square"], metrics(x, y)["root_mean_square"],
                               delta=1e-8)


    def test_of_float64_are_right_where_squares_are_too_small_or_too_large(self):
        for size in (1e-170, 1e-310, 1e200):
            y = np.linspace(1, 2, 10_000) * size
            x = y * (1 + 1e-3 * np.cos(np.arange(10_000)))
            with self.subTest(size=size):
                row = self.compare_one(1, x, y, "--rtol", "1e-9")
                expected = metrics(x / size, y / size)
                got = row["metrics"]
                self.assertAlmostEqual(got["relative_euclidean"], expected["relative_euclidean"],
                                       delta=1e-8)
                self.assertAlmostEqual(got["cosine"], expected["cosine"], delta=1e-9)
                for name in ("euclidean", "root_mean_square", "mean_absolute", "max_absolute"):
                    self.assertAlmostEqual(got[name] / size, expected[name],
                                           delta=1e-4 * expected[name], msg=name)
                self.assertAlmostEqual(row["statistics_b"]["norm"] / size,
                                       np.linalg.norm(y / size), delta=1e-4)
                self.assertAlmostEqual(got["deviation_b"] / size, np.std(y / size), delta=1e-6)


class TheVerdict(CompareCase):
    def test_on_64_bit_integers_does_not_round_them(self):
        for kind in (np.int64, np.uint64):
            y = np.array([2 ** 53 + 1, 5], dtype=kind)
            row = self.compare_one(1, np.array([2 ** 53, 5], dtype=kind), y, "--tolerance", "exact")
            self.assertEqual((row["result"], row["metrics"]["max_absolute"]), ("differs", 1))
            self.assertEqual(self.compare_one(0, y, y)["result"], "same")
        row = self.compare_one(1, np.array([-2 ** 63]), np.array([2 ** 63 - 1]))
        self.assertEqual(row["metrics"]["max_absolute"], 2.0 ** 64)

    def test_follows_limits_that_are_given_and_names_them(self):
        y = np.full(4, 1e-7)
        self.save_pair("t", y * 2, y)
        self.assertEqual(self.compare(1, "--rtol", "0")["tolerance"], "rtol 0, atol 0")
        self.compare(0, "--atol", "1e-6")
        y = np.full(4, 1e6)
        self.save_pair("t", y + 0.5, y)
        self.compare(1, "--atol", "0.1")
        self.assertEqual(self.compare(0, "--rtol", "1e-6", "--atol", "0.1")["tolerance"],
                         "rtol 1e-06, atol 0.1")
        text = self.run_for(2, "compare", "a", "b", "--tolerance", "ptdbg", "--rtol", "1")
        self.assertIn("leave out --rtol", text.stderr.decode())

    def test_tells_what_only_the_tested_dump_has_whatever_its_kind(self):
        self.save_pair("Add.x.1.2.1589195081588018.output.0", np.ones(3), np.ones(3))
        self.save("a/Split.s.1.2.1589195081588018.output.0.npy", np.ones(3))
        self.compare(1)
        self.assertEqual(self.rows["Split.s.1.2.1589195081588018.output.0"]["result"], "only in A")

    def test_names_no_producer_where_an_input_cannot_be_read(self):
        good = np.linspace(1, 2, 64, dtype=np.float32)
        op = "Module.fc.Linear.forward.0"
        self.save_pair(op + ".output.0", good * 2, good)
        self.save_pair(op + ".input.0", good, good)
        self.save_pair(op + ".input.1", np.array(["a"]), np.array(["b"]))
        found = self.compare(1)
        self.assertIsNone(found["first_producer"])
        self.assertEqual(self.rows[op + ".output.0"]["cause"], "inputs unknown")

    def test_names_no_producer_among_those_who_share_a_gradient(self):
        good = np.linspace(1, 2, 64, dtype=np.float32)
        shared = ("Torch.exp.0.backward", "Torch.tanh.0.backward")
        for op in shared:
            self.save_pair(op + ".input.0", good, good)
            self.save_pair(op + ".output.0", good * 2, good)
        self.save_pair("Torch.abs.0.backward.input.0", good, good)
        self.save_pair("Torch.abs.0.backward.output.0", good * 3, good)
        self.compare(1)
        self.assertEqual({self.rows[op + ".output.0"]["cause"] for op in shared},
                         {"shared gradient"})
        self.assertEqual(self.rows["Torch.abs.0.backward.output.0"]["cause"], "producer")

    def test_do_not_take_gradients_with_nan_for_one(self):
        good = np.linspace(1, 2, 64, dtype=np.float32)
        for op, wrong in (("Torch.exp.0.backward", np.nan), ("Torch.tanh.0.backward", np.nan),
                          ("Torch.abs.0.backward", 3)):
            self.save_pair(op + ".input.0", good, good)
            self.save_pair(op + ".output.0", good * np.float32(wrong), good)
        self.compare(1)
        self.assertEqual({self.rows[f"Torch.{op}.0.backward.output.0"]["cause"]
                          for op in ("exp", "tanh", "abs")}, {"producer"})

    def test_find_the_innermost_module_whose_gradient_is_wrong(self):
        good = np.linspace(1, 2, 64, dtype=np.float32)
        for op in ("Module.Sequential.backward.0", "Module.1.Block.backward.0",
                   "Module.1.l.Linear.backward.0", "Functional.linear.1.backward"):
            self.save_pair(op + ".input.0", good, good)
            self.save_pair(op + ".output.0", good * 2, good)
        self.compare(1)
        self.assertEqual({name: row["cause"] for name, row in self.rows.items() if row["cause"]},
                         {"Module.Sequential.backward.0.output.0": "propagator",
                          "Module.1.Block.backward.0.output.0": "propagator",
                          "Module.1.l.Linear.backward.0.output.0": "propagator",
                          "Functional.linear.1.backward.output.0": "producer"})

    def test_follows_the_type_of_number(self):
        y = np.linspace(1, 2, 1000)
        noisy = y * (1 + 2e-3)
        self.save_pair("half", noisy.astype(np.float16), y.astype(np.float16))
        self.save_pair("single", noisy.astype(np.float32), y.astype(np.float32))
        self.save_pair("whole", np.arange(9), np.arange(9))
        self.compare(1)
        self.assertEqual({name: row["result"] for name, row in self.rows.items()},
                         {"half": "close", "single": "differs", "whole": "same"})
        self.compare(0, "--tolerance", "loose")
        self.compare(1, "--tolerance", "exact")
        self.compare(0, "--tolerance", "ptdbg")
        self.compare(0, "--rtol", "0.01")
        self.compare(0, "--atol", "0.01")

    def test_tells_missing_extra_and_shapes(self):
        self.save_pair("both", np.ones(3), np.ones(3))
        self.save("a/extra.npy", np.ones(3))
        self.save("b/missing.npy", np.ones(4))
        self.save_pair("shape", np.ones((2, 3)), np.ones((3, 2)))
        found = self.compare(1)
        self.assertEqual({name: row["result"] for name, row in self.rows.items()},
                         {"both": "same", "extra": "only in A", "missing": "only in B",
                          "shape": "shape differs"})
        self.assertFalse(found["agrees"])

    def test_tells_what_never_dumps_from_what_is_missing(self):
        one = np.ones(3, dtype=np.float32)
        self.write("a/20240613143502/0/g_1/11/0/Conv2D.net_conv.3.1.1589195081588018",
                   dump_files.ge_bytes(outputs=[one]))
        folder = self.folder / "b"
        folder.mkdir()
        np.save(folder / "net_conv.0.1589195081588999.npy", one)
        np.save(folder / "Const_3.0.1589195081588999.npy", one)
        np.save(folder / "Relu_1.0.1589195081588999.npy", one)
        self.compare(1)
        results = {name.split(".")[0]: row["result"] for name, row in self.rows.items()}
        self.assertEqual(results, {"net_conv": "same", "Const_3": "never dumped",
                                   "Relu_1": "only in B"})
        graph = 'graph { name: "g" op { name: "Relu_1" type: "Relu" attr { key: "_no_task" ' \
                'value { b: true } } } }'
        self.write("g_Build.txt", graph)
        self.compare(0, "--graph", "g_Build.txt")

    def test_tells_producers_from_propagators(self):
        good = np.linspace(1, 2, 64, dtype=np.float32)
        bad = good * np.float32(1.5)
        operations = []
        for i, (a_in, a_out) in enumerate([(good, good), (good, bad), (bad, bad)]):
            operations.append((f"Functional.op.{i}.forward", a_in, a_out))
        for side in ("a", "b"):
            data = {}
            for name, a_in, a_out in operations:
                x, y = (a_in, a_out) if side == "a" else (good, good)
                data[name] = {"input_args": [dump_files.probe_tensor(x)], "input_kwargs": {},
                              "output": [dump_files.probe_tensor(y)]}
            self.write(f"{side}/step0/rank0/dump.json", dump_files.probe_json(data))
        found = self.compare(1)
        self.assertEqual(found["first_producer"], "Functional.op.1.forward.output.0")
        self.assertEqual(found["first_difference"], "Functional.op.1.forward.output.0")
        self.assertEqual(self.rows["Functional.op.1.forward.output.0"]["cause"], "producer")
        self.assertEqual(self.rows["Functional.op.2.forward.output.0"]["cause"], "propagator")


class Statistics(CompareCase):
    """Dumps of statistics alone, or against values."""

    NAME = "Functional.add.0.forward.output.0"

    def list_in(self, side, folder="", **fields):
        data = {"Functional.add.0.forward": {"output": [dump_files.probe_entry(**fields)]}}
        self.write(f"{side}/{folder}dump.json", dump_files.probe_json(data))

    def result(self, code, *options):
        self.compare(code, *options)
        return self.rows[self.NAME]["result"]

    def test_may_be_nan_as_python_writes_it(self):
        nan = float("nan")
        self.list_in("a", Max=nan, Min=nan, Mean=nan, Norm=nan)
        self.list_in("b", Max=1.0, Min=0.0, Mean=0.5, Norm=1.0)
        self.assertEqual(self.result(1), "differs")
        self.assertEqual(self.rows[self.NAME]["statistics_a"]["max"], "nan")
        self.list_in("b", Max=nan, Min=nan, Mean=nan, Norm=nan)
        self.assertEqual(self.result(0), "same")

    def test_may_be_infinite_as_python_writes_it_and_names_may_say_so(self):
        for side in ("a", "b"):
            data = {"NaN, \\\"Infinity": {"output": [dump_files.probe_entry(
                Max=math.inf, Min=-math.inf, Mean=0.5, Norm=math.inf)]}}
            self.write(f"{side}/dump.json", dump_files.probe_json(data))
        self.compare(0)
        row = self.rows["NaN, \\\"Infinity.output.0"]
        self.assertEqual((row["statistics_a"]["max"], row["statistics_a"]["min"]), ("inf", "-inf"))

    def test_of_ptdbg_may_be_nan(self):
        name = "Torch_relu_0_forward_output.0"
        good = np.ones(3, np.float32)
        for side, array in (("a", good * np.float32(np.nan)), ("b", good)):
            self.write(f"{side}/dump.pkl", dump_files.ptdbg_line(name, array) + "\n" +
                       dump_files.ptdbg_line("Torch_add_0_forward_output.0", good) + "\n")
        self.compare(1)
        self.assertEqual(self.rows[name]["result"], "differs")
        self.assertEqual(self.rows["Torch_add_0_forward_output.0"]["result"], "same")

    def test_that_are_infinite_accept_only_themselves(self):
        for bad in ({"Max": math.inf, "Mean": math.inf, "Norm": math.inf}, {"Min": -math.inf}):
            fine = {"Max": 3.0, "Min": -1.0, "Mean": 0.5, "Norm": 3.2}
            self.list_in("a", **fine)
            self.list_in("b", **{**fine, **bad})
            for tolerance in ("default", "loose"):
                self.assertEqual(self.result(1, "--tolerance", tolerance), "differs")

    def test_of_values_know_what_is_not_finite(self):
        fine = np.ones(1000, np.float32)
        fine[:500] = 0
        self.list_in("b", shape=(1000,), Max=1.0, Min=0.0, Mean=0.5, Norm=math.sqrt(500))
        self.save(f"a/{self.NAME}.npy", fine)
        self.assertIn(self.result(0), ("same", "close"))
        for bad, expected in ((np.nan, ["nan"] * 4), (np.inf, ["inf", 0, "inf", "inf"]),
                              (-np.inf, [1, "-inf", "-inf", "inf"])):
            values = fine.copy()
            values[3] = bad
            self.save(f"a/{self.NAME}.npy", values)
            self.assertEqual(self.result(1), "differs")
            self.assertEqual(list(self.rows[self.NAME]["statistics_a"].values()), expected)
        with np.errstate(invalid="ignore"):
            for values in ([np.inf, -np.inf], [np.inf, np.inf], [np.nan, 1]):
                x = np.array(values, np.float32)
                self.list_in("b", Max=float(x.max()), Min=float(x.min()), Mean=float(x.mean()),
                             Norm=float(np.sqrt((x * x).sum())))
                self.save(f"a/{self.NAME}.npy", x)
                self.assertEqual(self.result(0), "same", values)

    def test_yield_to_checksums(self):
        same = {"Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
        self.list_in("a", md5="00000001", **same)
        self.list_in("b", md5="00000002", **same)
        self.assertEqual(self.result(0), "close")
        self.assertIn("checksums differ", self.rows[self.NAME]["message"])
        self.assertEqual(self.result(1, "--tolerance", "exact"), "differs")
        self.list_in("b", md5="00000001", **same)
        self.assertEqual(self.result(0, "--tolerance", "exact"), "same")
        for side in ("a", "b"):
            self.list_in(side, kind="int32", md5=f"0000000{side}", **same)
        self.assertEqual(self.result(1), "differs")

    def test_and_checksums_are_columns_of_msprobe(self):
        same = {"Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
        for statistics in (same, {}):
            for side in ("a", "b"):
                self.list_in(side, md5=f"0000000{side}", **statistics)
            code = 0 if statistics else 1
            self.run_for(code, "compare", "a", "b", "--columns", "msprobe", "--csv", "r.csv",
                         "--force")
            with open(self.folder / "r.csv", newline="", encoding="utf-8") as file:
                head, row = list(csv.reader(file))
            self.assertEqual(len(head), len(row))
            cells = dict(zip(head, row))
            self.assertEqual((cells["NPU MD5"], cells["BENCH MD5"]), ("0000000a", "0000000b"))
            self.assertEqual("NPU max" in cells, bool(statistics))


class Names(CompareCase):
    def test_of_processes_do_not_matter_where_each_step_has_one(self):
        name = "Module.a.Linear.forward.0.output.0"
        for step in range(2):
            self.save(f"a/step{step}/rank0/{name}.npy", np.full(3, step))
            self.save(f"b/step{step}/proc12{step}/{name}.npy", np.full(3, step))
        self.assertEqual(self.compare(0)["counts"]["same"], 2)
        self.save(f"b/step1/proc7/{name}.npy", np.ones(3))
        self.assertEqual(self.compare(1)["counts"]["same"], 0)

    def test_of_parameters_keep_their_role_whatever_they_are_called(self):
        for side, value in (("a", 2.0), ("b", 1.0)):
            for slot, number in (("parameters.input_weight", value), ("input.0", 1.0),
                                 ("output.0", value)):
                self.save(f"{side}/Module.fc.Linear.forward.0.{slot}.npy", np.full(2, number))
        self.compare(1)
        row = self.rows["Module.fc.Linear.forward.0.parameters.input_weight"]
        self.assertEqual((row["role"], row["cause"]), ("parameter", ""))
        self.assertEqual(self.rows["Module.fc.Linear.forward.0.output.0"]["cause"], "propagator")

    def test_follow_a_mapping_of_tensors_and_operations(self):
        self.save("a/left_conv.output.0.npy", np.ones(3))
        self.save("b/right_norm.output.0.npy", np.ones(3))
        self.save("a/x.npy", np.zeros(3))
        self.save("b/y.npy", np.zeros(3))
        self.write("map.csv", "# comment\nleft_conv,right_norm\nx,y\n")
        self.compare(0, "--mapping", "map.csv")
        self.assertEqual({row["matched_by"] for row in self.rows.values()}, {"mapping"})

    def test_name_what_a_mapping_has_and_no_dump(self):
        self.save("a/left.npy", np.ones(3))
        self.save("b/right.npy", np.ones(3))
        self.write("map.csv", "left,right\nleft,rigth\ngone,right\n")
        result = self.run_for(0, "compare", "a", "b", "--mapping", "map.csv")
        self.assertIn('map.csv: 2 names are in no dump of their column, such as "rigth"',
                      result.stderr.decode())

    def test_differ_in_task_numbers_devices_and_time_stamps(self):
        one = np.ones(3, dtype=np.float32)
        self.write("a/20240613143502/0/m_20240613143502_1/11/0/Conv2D.c1.3.1.1589195081588018",
                   dump_files.ge_bytes(outputs=[one]))
        self.write("b/20250101000000/0/m_20250101000000_1/11/0/Conv2D.c1.7.2.1699195081588018",
                   dump_files.ge_bytes(outputs=[one]))
        self.compare(0)
        self.save("a/NpuConvolution_1.output.0.npy", one)
        self.save("b/CudnnConvolution_1.output.0.npy", one)
        self.compare(0)

    def test_align_by_the_sequence_of_operations_when_counters_shift(self):
        for i in range(6):
            value = np.full(4, i, dtype=np.float32)
            self.save(f"b/Torch_relu_{i}_forward_output.0.npy", value)
            self.save(f"a/Torch_relu_{i + 100}_forward_output.0.npy", value)
        self.save("a/Torch_extra_100_forward_output.0.npy", np.ones(4, np.float32))
        self.compare(1)
        same = [row for row in self.rows.values() if row["result"] == "same"]
        self.assertEqual(len(same), 6)
        self.assertEqual({row["matched_by"] for row in same}, {"sequence"})

    def test_that_were_too_long_come_from_mapping_csv(self):
        one = np.ones(3, dtype=np.float32)
        name = "Conv2D." + "x" * 260 + ".3.1.1589195081588018"
        for side in ("a", "b"):
            place = f"{side}/20240613143502/0/g/11/0"
            number = "123" if side == "a" else "456"
            self.write(f"{place}/{number}", dump_files.ge_bytes(outputs=[one]))
            self.write(f"{place}/mapping.csv", f"{number},{name}\n")
        self.compare(0)
        self.assertIn(name + ".output.0", self.rows)


class ResultsOfTensorFlow(CompareCase):
    """A dump of the NPU against the .npy that TensorFlow has on a CPU or GPU: {name}.{output}.{time}."""

    STAMP = "1589195081588018"

    def write_operator(self, kind, name, task, inputs, outputs, **options):
        folder = "a/20240613143502/0/ge_default_20240613143502_1/11/0"
        self.write(f"{folder}/{kind}.{name}.{task}.3.{self.STAMP}",
                   dump_files.ge_bytes(inputs, outputs, **options))

    def test_belong_to_the_outputs_of_their_operator(self):
        one, two = np.ones(3, np.float32), np.full(3, 2, np.float32)
        self.write_operator("Relu", "model_relu_1", 4, [], [one, two])
        self.save("b/model_relu_1.0.1718260000000000.npy", one)
        self.save("b/model_relu_1.1.1718260000000000.npy", two)
        self.assertEqual(self.compare(0)["counts"]["same"], 2)

    def test_belong_to_the_operator_that_fusion_made_of_theirs(self):
        conv, relu = np.ones(3, np.float32), np.full(3, 2, np.float32)
        # The fused operator has the name of the first, and gives what the last one gave.
        self.write_operator("Conv2D", "model_conv", 4, [], [relu],
                            originals={0: ("model/relu", 0)})
        self.save("b/model_conv.0.1718260000000000.npy", conv)
        self.save("b/model_relu.0.1718260000000000.npy", relu)
        self.compare(1)
        self.assertEqual(self.rows["model_relu.0.1718260000000000"]["result"], "same")
        self.assertIsNone(self.rows["model_conv.0.1718260000000000"]["a"])

    def test_are_channels_last_where_the_device_has_blocks_of_them(self):
        rng = np.random.default_rng(7)
        for number, shape in enumerate(((2, 20, 3, 5), (1, 4, 4, 4), (2, 16, 7, 1))):
            nchw = rng.standard_normal(shape).astype(np.float16)
            self.write_operator("Conv2D", f"conv{number}", number, [],
                                [dump_files.nc1hwc0(nchw)], form=3)
            self.save(f"b/conv{number}.0.1718260000000000.npy",
                      nchw.transpose(0, 2, 3, 1).astype(np.float32))
        self.assertEqual(self.compare(0)["counts"]["same"], 3)

    def test_without_inputs_make_no_operation_a_missing_one(self):
        one = np.ones(3, np.float32)
        self.write_operator("Relu", "relu", 4, [one], [one])
        self.save("b/relu.0.1718260000000000.npy", one)
        self.compare(1)
        result = self.run_for(1, "compare", "a", "b")
        self.assertIn("only in A", result.stdout.decode())
        self.assertNotIn("only one of the runs has this operation", result.stdout.decode())
        self.write_operator("Add", "add", 5, [], [one])
        result = self.run_for(1, "compare", "a", "b")
        self.assertIn(f"only one of the runs has this operation: Add.add.5.3.{self.STAMP} (A)",
                      result.stdout.decode())


class Formats(CompareCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.golden = rng.standard_normal((6, 7)).astype(np.float32)
        self.tested = self.golden * np.float32(1.0003)

    def check_values(self, name):
        self.compare(0)
        self.assertIn(name, self.rows)
        self.assert_metrics(self.rows[name], self.tested, self.golden)

    def test_of_ge(self):
        for side, array in (("a", self.tested), ("b", self.golden)):
            for step, options in enumerate(({}, {"packed": False}, {"padding": 32})):
                extra = np.arange(5, dtype=np.int32)
                self.write(f"{side}/{step}/Add.op.3.1.1589195081588018",
                           dump_files.ge_bytes([extra], [array], **options))
        self.check_values("Add.op.3.1.1589195081588018.output.0")
        self.assertEqual(len(self.compare(0)["tensors"]), 6)

    def test_of_ge_in_the_blocks_of_a_device_against_plain_ones(self):
        rng = np.random.default_rng(8)
        image = rng.standard_normal((2, 20, 3, 5)).astype(np.float32)
        weights = rng.standard_normal((33, 20, 3, 2)).astype(np.float32)
        batches = rng.standard_normal((3, 18, 7)).astype(np.float32)
        for kind, form, plain, blocks in (("Image", 3, image, dump_files.nc1hwc0(image)),
                                          ("Weights", 4, weights, dump_files.fractal_z(weights)),
                                          ("Matrix", 29, batches, dump_files.fractal_nz(batches))):
            self.write(f"a/{kind}.op.1.1.1589195081588018",
                       dump_files.ge_bytes(outputs=[blocks], form=form))
            self.write(f"b/{kind}.op.1.1.1589195081588018", dump_files.ge_bytes(outputs=[plain]))
        self.assertEqual(self.compare(0)["counts"]["same"], 3)
        found = self.rows["Weights.op.1.1.1589195081588018.output.0"]
        self.assertEqual(found["a"]["shape"], [33, 20, 3, 2])
        # 33 channels do not fill two blocks of 16.
        self.write("a/Image.op.1.1.1589195081588018", dump_files.ge_bytes(
            outputs=[dump_files.nc1hwc0(rng.standard_normal((2, 33, 3, 5)).astype(np.float32))],
            form=3))
        self.compare(1)
        self.assertEqual(self.rows["Image.op.1.1.1589195081588018.output.0"]["result"],
                         "shape differs")

    def test_of_asynchronous_mindspore(self):
        for side, array in (("a", self.tested), ("b", self.golden)):
            self.write(f"{side}/0/net_graph_0/0/1/Add.Default_Add-op1.2.161243956333802",
                       dump_files.ge_bytes(outputs=[array]))
        self.check_values("Add.Default_Add-op1.2.161243956333802.output.0")

    def test_of_synchronous_mindspore(self):
        for side, array in (("a", self.tested), ("b", self.golden)):
            folder = f"{side}/net/device_0/iteration_0"
            name = dump_files.mindspore_name("Default--Add-op1", "output", 0, array)
            self.write(f"{folder}/{name}", array.tobytes())
            scalar = np.array(3, dtype=np.int32)
            name = dump_files.mindspore_name("Default--Sum-op2", "input", 1, scalar)
            self.write(f"{folder}/{name}", scalar.tobytes())
        self.check_values("Default--Add-op1_output_0")

    def test_of_mindspore_with_a_format_of_several_words(self):
        for side in ("a", "b"):
            array = np.ones((1, 1, 4, 4), dtype=np.float16)
            name = dump_files.mindspore_name("Default--MatMul-op1", "output", 0, array, "FRACTAL_NZ")
            self.write(f"{side}/{name}", array.tobytes())
        self.compare(0)
        row = self.rows["Default--MatMul-op1_output_0"]
        self.assertEqual((row["a"]["type"], row["a"]["shape"]), ("float16", [1, 1, 4, 4]))

    def test_of_torch_files_and_msprobe(self):
        try:
            import torch
        except ImportError:
            self.skipTest("python3-torch is not installed")
        for side, array in (("a", self.tested), ("b", self.golden)):
            folder = self.folder / side / "step0" / "rank0"
            (folder / "dump_tensor_data").mkdir(parents=True)
            name = "Functional.add.0.forward.output.0"
            torch.save(torch.from_numpy(array), folder / "dump_tensor_data" / f"{name}.pt")
            half = torch.nn.Parameter(torch.from_numpy(array)[1:, :].bfloat16())
            torch.save(half, folder / "dump_tensor_data" / "p.pt")
            data = {"Functional.add.0.forward": {
                "input_args": [], "input_kwargs": {},
                "output": [dump_files.probe_tensor(array, f"{name}.pt")],
                "parameters": {"w": dump_files.probe_tensor(array, "p.pt")}}}
            (folder / "dump.json").write_text(dump_files.probe_json(data, "tensor"))
        self.check_values("Functional.add.0.forward.output.0")
        row = self.rows["Functional.add.0.forward.parameters.w"]
        self.assertEqual((row["a"]["type"], row["a"]["shape"]), ("bfloat16", [5, 7]))

    def test_of_statistics_without_values(self):
        for side, array in (("a", self.tested), ("b", self.golden)):
            data = {"Torch.relu.0.forward": {"input_args": [dump_files.probe_tensor(array)],
                                             "output": [dump_files.probe_tensor(array)]}}
            self.write(f"{side}/dump.json", dump_files.probe_json(data))
        self.compare(0)
        row = self.rows["Torch.relu.0.forward.output.0"]
        self.assertIn("only the statistics", row["message"])
        self.assertAlmostEqual(row["statistics_b"]["norm"], np.linalg.norm(self.golden), places=5)
        self.compare(1, "--tolerance", "strict")

    def test_of_statistics_against_values(self):
        self.write("a/dump.json", dump_files.probe_json(
            {"Torch.relu.0.forward": {"output": [dump_files.probe_tensor(self.tested)]}}))
        self.save("b/Torch.relu.0.forward.output.0.npy", self.golden)
        self.compare(0)
        self.assertEqual(self.rows["Torch.relu.0.forward.output.0"]["result"], "close")

    def test_of_ptdbg(self):
        name = "Torch_relu_0_forward_output.0"
        for side, array in (("a", self.tested), ("b", self.golden)):
            folder = f"{side}/ptdbg_dump_v{4 if side == 'a' else 5}.0/step0/rank0"
            stack = json.dumps(["Torch_relu_0_forward_stack_info", ["file.py:3"]])
            self.write(f"{folder}/dump.pkl",
                       dump_files.ptdbg_line(name, array) + "\n" + stack + "\n")
            if side == "b":
                self.compare(0)  # both have statistics only
            self.save(f"{folder}/dump/{name}.npy", array)
        self.check_values(name)

    def test_of_hdf5(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("python3-h5py is not installed")
        for side, array in (("a", self.tested), ("b", self.golden)):
            (self.folder / side).mkdir()
            with h5py.File(self.folder / side / "model.h5", "w") as file:
                for order, options in enumerate(({}, {"chunks": (2, 7), "compression": "gzip"})):
                    place = f"/{'Npu' if side == 'a' else 'Cudnn'}Conv/{order}/output/self"
                    data = file.create_dataset(place, data=array, **options)
                    data.attrs["Type"] = np.int32(0)
                    data.attrs["DataType"] = np.int32(1)
                    data.attrs["DeviceType"] = np.int32(10 if side == "a" else 1)
                note = file.create_dataset("/Conv/0/input/k", data=np.int64(3))
                note.attrs["Type"] = np.int32(3)  # no tensor
        self.check_values("CudnnConv/0/output/self")
        self.assertEqual(len(self.rows), 2)

    def test_of_hdf5_begin_where_the_run_did(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("python3-h5py is not installed")
        for side, wrong in (("a", 1.0), ("b", 0.0)):
            (self.folder / side).mkdir()
            with h5py.File(self.folder / side / "model.h5", "w") as file:
                for op in ("relu", "convolution", "addmm"):
                    file[f"{op}/1/output/0"] = np.linspace(1, 2, 64) + wrong
                    file[f"{op}/1/output/0"].attrs["Type"] = 0
        found = self.compare(1)
        self.assertEqual(found["first_difference"], "relu/1/output/0")

    def test_of_hdf5_with_floats_of_two_bytes(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("python3-h5py is not installed")
        values = np.array([1, -2.5, 0.125, 100], dtype=np.float16)
        brain = h5py.h5t.IEEE_F32LE.copy()
        brain.set_fields(31, 23, 8, 0, 23)
        brain.set_fields(15, 7, 8, 0, 7)
        brain.set_size(2)
        brain.set_ebias(127)
        for side in ("a", "b"):
            (self.folder / side).mkdir()
            with h5py.File(self.folder / side / "model.h5", "w") as file:
                options = {"chunks": (2,)} if side == "a" else {}
                file.create_dataset("/op/0/output/half", data=values.astype(">f2"), **options)
                space = h5py.h5s.create_simple((4,))
                group = file.require_group("/op/0/output")
                data = h5py.h5d.create(group.id, b"brain", brain, space)
                data.write(h5py.h5s.ALL, h5py.h5s.ALL, values.astype(np.float32))
        self.compare(0)
        self.assertEqual(self.rows["op/0/output/half"]["statistics_a"]["max"], 100)
        row = self.rows["op/0/output/brain"]
        self.assertEqual((row["a"]["type"], row["statistics_a"]["max"]), ("bfloat16", 100))


class ValueFiles(CompareCase):
    """Lists of tensors and the files that they name."""

    OP = "Functional.add.0.forward"

    def list_in(self, side, file, array, **fields):
        data = {self.OP: {"output": [dump_files.probe_tensor(array, file, **fields)]}}
        self.write(f"{side}/dump.json", dump_files.probe_json(data, "tensor"))

    def test_hold_bfloat16_as_bits(self):
        for side, bits in (("a", 0x3F80), ("b", 0x3F81)):
            array = np.full(4, bits, np.uint16)
            self.list_in(side, "t.npy", array, dtype="torch.bfloat16")
            self.save(f"{side}/dump_tensor_data/t.npy", array)
        self.compare(0)
        row = self.rows[self.OP + ".output.0"]
        self.assertEqual(row["a"]["type"], "bfloat16")
        self.assertAlmostEqual(row["metrics"]["max_absolute"], 2 ** -7)

    def test_are_found_under_the_number_that_they_got(self):
        name = "x" * 250 + ".npy"
        for side, number in (("a", "123.npy"), ("b", "4567")):
            self.list_in(side, name, np.ones(3))
            self.write(f"{side}/dump_tensor_data/mapping.csv", f"{number},{name}\n")
            with open(self.folder / side / "dump_tensor_data" / number, "wb") as file:
                np.save(file, np.ones(3))
        self.compare(0)
        self.assertIn("metrics", self.rows[self.OP + ".output.0"])

    def test_that_are_missing_are_told(self):
        for side in ("a", "b"):
            self.list_in(side, "gone.npy", np.ones(3))
        found = self.compare(1)
        self.assertIn("gone.npy", found["unreadable_a"][0]["what"])
        self.assertEqual(self.rows[self.OP + ".output.0"]["result"], "same")

    def test_of_ptdbg_that_are_missing_are_told_where_there_are_others(self):
        names = ["Torch_relu_0_forward_output.0", "Torch_relu_1_forward_output.0"]
        for side in ("a", "b"):
            lines = [dump_files.ptdbg_line(name, np.ones(3)) for name in names]
            lines.append(json.dumps(["Torch_relu_1_forward_input.1", 1, [], "<class 'float'>", [],
                                     [1, 1, 1, 1]]))
            self.write(f"{side}/dump.pkl", "\n".join(lines) + "\n")
        self.compare(0)
        self.save(f"a/dump/{names[0]}.npy", np.ones(3))
        found = self.compare(1)
        self.assertIn("1 files with values", found["unreadable_a"][0]["what"])

    def test_cut_off_lists_keep_what_comes_before(self):
        lines = [dump_files.ptdbg_line(f"Torch_relu_{i}_forward_output.0", np.ones(3) * i)
                 for i in range(3)]
        self.write("b/dump.pkl", "\n".join(lines) + "\n")
        self.write("a/dump.pkl", "\n".join(lines)[:-40])
        found = self.compare(1)
        self.assertEqual(found["counts"]["same"], 2)
        self.assertIn("dump.pkl:3", found["unreadable_a"][0]["where"])
        self.assertEqual(self.rows["Torch_relu_2_forward_output.0"]["message"], "unreadable in A")

    def test_left_in_the_log_of_a_capture_are_told(self):
        for side in ("a", "b"):
            self.save(f"{side}/step0/x.npy", np.ones(3))
        self.write("a/step0/.transplt_capture.1/000000000.segment", b"x" * 100)
        found = self.compare(1)
        self.assertEqual(found["counts"]["same"], 1)
        self.assertIn("transplt dump recover", found["unreadable_a"][0]["what"])
        self.assertIn("recover", self.run_for(1, "dump", "ls", "a").stderr.decode())


class Reports(CompareCase):
    def setUp(self):
        super().setUp()
        self.save_pair("=cmd()", np.ones(3), np.ones(3))
        self.save_pair("layer<1>", np.ones(9, np.float32), np.arange(9, dtype=np.float32))

    def test_are_written_as_csv_with_the_columns_of_each_tool(self):
        for columns, first in (("all", "Folder"), ("msaccucmp", "Index"), ("msprobe", "NPU Name")):
            self.run_for(1, "compare", "a", "b", "--columns", columns, "--csv", f"{columns}.csv")
            with open(self.folder / f"{columns}.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0][0], first)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            self.assertNotIn("=cmd()", [cell for row in rows for cell in row])

    def probe_rows(self, code):
        self.run_for(code, "compare", "pa", "pb", "--columns", "msprobe", "--csv", "p.csv", "--force")
        with open(self.folder / "p.csv", newline="", encoding="utf-8") as file:
            return {row["NPU Name"]: row for row in csv.DictReader(file)}

    def test_of_statistics_have_the_differences_of_msprobe(self):
        for side, values in (("pa", (2.0, 0.0, 1.0, float("nan"))),
                             ("pb", (1.0, 0.0, 0.0, float("nan")))):
            statistics = dict(zip(("Max", "Min", "Mean", "Norm"), values))
            entry = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2],
                     "requires_grad": False, **statistics}
            self.write(f"{side}/dump.json", dump_files.probe_json(
                {"Torch.relu.0.forward": {"output": [entry]}}))
        row = self.probe_rows(1)["Torch.relu.0.forward.output.0"]
        names = ("Max diff", "Min diff", "Mean diff", "L2norm diff", "MaxRelativeErr",
                 "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr")
        self.assertEqual([row[name] for name in names],
                         ["1", "0", "1", "0", "100%", "0", "inf", "0"])

    def test_of_single_numbers_have_the_metrics_that_msprobe_has_for_them(self):
        for side, change in (("pa", 0), ("pb", 1)):
            self.save(f"{side}/one.output.0.npy", np.float32(4 + change).reshape(1, 1))
            self.save(f"{side}/none.output.0.npy", np.zeros((0, 2), np.float32))
            self.save(f"{side}/shape.output.0.npy", np.zeros(2 + change, np.float32))
        rows = self.probe_rows(1)
        names = ("Cosine", "EucDist", "MaxAbsErr", "MaxRelativeErr", "One Thousandth Err Ratio",
                 "Five Thousandths Err Ratio")
        cells = {name: [row[n] for n in names] for name, row in rows.items()}
        self.assertEqual(cells["one.output.0"], ["unsupported", "unsupported", "1", "0.2",
                                                 "unsupported", "unsupported"])
        self.assertEqual(set(cells["none.output.0"]), {"unsupported"})
        self.assertEqual(set(cells["shape.output.0"]), {"shape unmatched"})

    def test_of_values_count_as_msprobe_does_where_numbers_are_not_finite_or_nothing_but_zero(self):
        inf, nan = np.inf, np.nan
        for side, arrays in (("pa", {"zero": [0, 0, 0], "same": [inf, nan, 1, 2],
                                     "all": [inf, nan, -inf], "tiny": [1e-17, 0, 0]}),
                             ("pb", {"zero": [1, 2, 3], "same": [inf, nan, 1, 3],
                                     "all": [inf, nan, -inf], "tiny": [0, 1e-17, 0]})):
            for name, values in arrays.items():
                self.save(f"{side}/{name}.output.0.npy", np.array(values, np.float32))
        rows = self.probe_rows(1)
        names = ("Cosine", "EucDist", "MaxAbsErr", "MaxRelativeErr", "One Thousandth Err Ratio",
                 "Five Thousandths Err Ratio")
        cells = {name.split(".")[0]: [row[n] for n in names] for name, row in rows.items()}
        self.assertEqual(cells["zero"][0], "Nan")
        self.assertEqual(cells["same"][4:], ["0.75", "0.75"])
        self.assertEqual(cells["all"], ["1", "0", "0", "0", "1", "1"])
        self.assertEqual(cells["tiny"][0], "1")

    def test_of_values_have_the_statistics_that_the_dump_gives(self):
        name = "Torch.relu.0.forward.output.0"
        for side in ("pa", "pb"):
            entry = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [3],
                     "requires_grad": True, "Max": 1.0, "Min": 1.0, "Mean": 0.25, "Norm": 1.5,
                     "data_name": name + ".npy"}
            self.write(f"{side}/dump.json", dump_files.probe_json(
                {"Torch.relu.0.forward": {"output": [entry]}}))
            self.save(f"{side}/dump_tensor_data/{name}.npy", np.ones(3, np.float32))
        row = self.probe_rows(0)[name]
        self.assertEqual([row[f"NPU {n}"] for n in ("max", "min", "mean", "l2norm")],
                         ["1", "1", "0.25", "1.5"])
        self.assertEqual((row["NPU Dtype"], row["NPU Tensor Shape"]), ("torch.float32", "[3]"))

    def write_call(self, side, arguments, kwargs):
        """One call of a function whose output is not the same in the two dumps."""
        value = {"pa": 1.0, "pb": 2.0}[side]
        self.write(f"{side}/dump.json", dump_files.probe_json({"Functional.elu.0.forward": {
            "input_args": [dump_files.probe_tensor(np.ones(3, np.float32)), *arguments],
            "input_kwargs": kwargs,
            "output": [dump_files.probe_tensor(np.full(3, value, np.float32))]}}))

    def test_have_a_row_for_each_argument_that_is_no_tensor(self):
        arguments = [None, {"type": "int", "value": 1}, [{"type": "bool", "value": True}],
                     {"type": "slice", "value": [0, None, 2]}]
        kwargs = {"size": {"type": "torch.Size", "value": [2, 3]},
                  "mode": {"type": "str", "value": "mean"}, "dtype": {"type": "torch.dtype",
                                                                      "value": "torch.bool"},
                  "format": {"type": "memory_format", "value": None}}
        self.write_call("pa", arguments, {**kwargs, "alpha": {"type": "float", "value": 1e-05},
                                          "only": {"type": "int", "value": 3}})
        self.write_call("pb", arguments, {**kwargs, "alpha": {"type": "float", "value": 2e-05}})
        rows = self.probe_rows(1)
        base = "Functional.elu.0.forward.input."
        cells = {name[len(base):]: (row["NPU Dtype"], row["NPU Tensor Shape"], row["NPU max"],
                                    row["Max diff"], row["MaxRelativeErr"], row["Result"])
                 for name, row in rows.items() if name.startswith(base)}
        del cells["0"]
        same = ("0", "0", "pass")
        self.assertEqual(cells, {
            "1": ("None", "None", "None", *same), "2": ("<class 'int'>", "[]", "1", *same),
            "3.0": ("<class 'bool'>", "[]", "True", *same),
            "4": ("slice", "(3,)", "None", *same), "size": ("torch.Size", "[2, 3]", "None", *same),
            "mode": ("<class 'str'>", "[]", "mean", *same),
            "dtype": ("<class 'str'>", "[]", "torch.bool", *same),
            "format": ("<class 'NoneType'>", "[]", "None", *same),
            "alpha": ("<class 'float'>", "[]", "1e-05", "-1e-05", "50%", "error"),
            "only": ("<class 'int'>", "[]", "3", "N/A", "N/A", "warning")})
        only = rows[base + "only"]
        self.assertEqual((only["Bench Name"], only["Bench max"]), ("N/A", "N/A"))

    def test_shorten_long_arguments_on_the_terminal(self):
        self.write_call("pa", [{"type": "str", "value": "a\x1b[31m\n" + "长" * 1000}], {})
        self.write_call("pb", [{"type": "str", "value": "b"}], {})
        text = self.run_for(1, "compare", "pa", "pb").stdout.decode()
        line = next(line for line in text.splitlines() if "its argument input.1 does not" in line)
        self.assertLess(len(line), 200)
        self.assertNotIn("\x1b", text)
        self.assertTrue(line.endswith("长... in A, b in B"), line)

    def test_name_gradients_of_parameters_as_msprobe_does(self):
        for side in ("pa", "pb"):
            self.write(f"{side}/dump.json", dump_files.probe_json({
                "Module.fc.Linear.parameters_grad.0": {
                    "weight": [dump_files.probe_tensor(np.ones(3, np.float32))]}}))
        self.assertEqual(list(self.probe_rows(0)),
                         ["Module.fc.Linear.parameters_grad.0.weight"])

    def test_are_written_as_workbook(self):
        import openpyxl
        self.run_for(1, "compare", "a", "b", "--columns", "msprobe", "--xlsx", "r.xlsx")
        sheet = openpyxl.load_workbook(self.folder / "r.xlsx").active
        rows = list(sheet.iter_rows(values_only=True))
        self.assertEqual(rows[0][8:10], ("Cosine", "EucDist"))
        self.assertEqual(len(rows), 3)
        self.assertEqual(rows[2][rows[0].index("Result")], "error")

    def test_are_written_as_a_page_that_needs_nothing_else(self):
        self.run_for(1, "compare", "a", "b", "--html", "r.html")
        page = (self.folder / "r.html").read_text(encoding="utf-8")
        self.assertIn("layer&lt;1&gt;", page)
        for word in ("<script", "http", "src=", "@import"):
            self.assertNotIn(word, page)
        self.assertGreaterEqual(page.count("<svg"), 2)
        self.assertIn("<rect", page)

    def test_do_not_replace_files_unless_forced(self):
        self.write("r.csv", "mine")
        self.run_for(2, "compare", "a", "b", "--csv", "r.csv")
        self.assertEqual((self.folder / "r.csv").read_text(), "mine")
        self.run_for(1, "compare", "a", "b", "--csv", "r.csv", "--force")
        self.write("r.xlsx", "mine")
        self.run_for(2, "compare", "a", "b", "--xlsx", "r.xlsx")

    def test_speak_chinese(self):
        result = self.run_for(1, "compare", "a", "b", env={"LANG": "zh_CN.UTF-8"})
        self.assertIn("张量 2 个", result.stdout.decode())


class BadInput(CompareCase):
    def complain(self, *words, arguments=("a", "b"), **options):
        text = self.run_for(2, "compare", *arguments, **options).stderr.decode()
        for word in words:
            self.assertIn(word, text)

    def test_is_named_with_place_and_remedy(self):
        one = np.ones(100)
        self.save("b/t.npy", one)
        self.complain("a", "cannot be found")
        self.write("a/readme.md", "no tensor")
        self.complain("holds no tensors", "1 others")
        self.complain("其中没有张量", env={"LANG": "zh_CN.UTF-8"})
        whole = (self.folder / "b/t.npy").read_bytes()
        self.write("a/t.npy", whole[:200])
        self.complain("a/t.npy", "is cut off: 72 bytes of values, shape (100,) needs 800")
        self.write("a/t.npy", b"\x93NUMPX" + whole[6:])
        self.complain("does not start as one")
        self.write("a/t.npy", whole[:60])
        self.complain("header is cut off")

    def test_of_one_file_does_not_stop_the_others(self):
        self.save_pair("good", np.ones(3), np.ones(3))
        self.save("b/t.npy", np.ones(3))
        self.write("a/t.npy", b"short")
        found = self.compare(1)
        self.assertEqual(self.rows["good"]["result"], "same")
        self.assertEqual(len(found["unreadable_a"]), 1)
        row = self.rows["t"]
        self.assertEqual((row["result"], row["message"]), ("unreadable", "unreadable in A"))

    def test_is_a_dump_against_itself(self):
        self.save("a/t.npy", np.ones(3))
        self.complain("compared with itself", arguments=("a", "a"))
        os.symlink("a", self.folder / "link")
        self.complain("compared with itself", arguments=("a", "link"))

    def test_is_a_workbook_that_cannot_be_written(self):
        self.save_pair("t", np.ones(3), np.ones(3))
        text = self.run_for(2, "compare", "a", "b", "--xlsx", "no/r.xlsx").stderr.decode()
        self.assertIn("no/r.xlsx: ", text)

    def test_is_a_wrong_mapping_or_option(self):
        self.save_pair("t", np.ones(3), np.ones(3))
        self.write("map.csv", "only one\n")
        self.complain("map.csv:1", "NAME IN A,NAME IN B", arguments=("a", "b", "--mapping", "map.csv"))
        self.complain(arguments=("a", "b", "--tolerance", "no-such"))

    def test_of_every_form_is_refused_when_cut_off(self):
        array = np.ones((4, 5), dtype=np.float32)
        whole = dump_files.ge_bytes(outputs=[array])
        name = dump_files.mindspore_name("Default--Add-op1", "output", 0, array)
        for place, data in (("Add.op.3.1.1589195081588018", whole), (name, array.tobytes()),
                            ("dump.json", dump_files.probe_json({"Torch.a.0.forward": {
                                "output": [dump_files.probe_tensor(array)]}}).encode()),
                            ("dump.pkl", dump_files.ptdbg_line("Torch_a", array).encode())):
            with self.subTest(place=place):
                good = self.write("a/good/" + place, data)
                self.run_for(0, "dump", "ls", "a")
                good.unlink()
                bad = self.write("a/" + place, data[:-7])
                text = self.run_for(2, "dump", "ls", "a").stderr.decode()
                self.assertIn(place.split(".")[0], text)
                bad.unlink()


class ManyAndLarge(CompareCase):
    def test_files_are_compared(self):
        for side in ("a", "b"):
            (self.folder / side).mkdir()
            for i in range(FILES):
                np.save(self.folder / side / f"op_{i}.npy", np.full(3, i, np.float32))
        self.assertEqual(self.compare(0)["counts"]["same"], FILES)

    def test_tensors_take_no_more_memory(self):
        count = ELEMENTS
        for side in ("a", "b"):
            (self.folder / side).mkdir()
            array = np.lib.format.open_memmap(self.folder / side / "t.npy", "w+", np.float32,
                                              (count,))
            array[::1 << 20] = 1  # the rest is a hole that takes no room on disk
            array.flush()
            del array

        # 10 GB on a machine that others use as well.
        self.compare(0, preexec_fn=memory_limit(resource.RLIMIT_DATA, 256 << 20), timeout=600)
        self.assertEqual(self.rows["t"]["metrics"]["finite_pairs"], count)


if __name__ == "__main__":
    sys.exit(unittest.main())
