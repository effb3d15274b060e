#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt dump: ls, convert, extract and op-info."""

import importlib.util
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import unittest

import numpy as np

sys.dont_write_bytecode = True
import dump_files  # noqa: E402
from program import EXECUTABLE, ProgramTest, sanitizers_of, tree_of  # noqa: E402

STAMP = "3.1.1589195081588018"


class Dump(ProgramTest):
    def test_lists_type_shape_and_name(self):
        self.write(f"d/Add.op.{STAMP}", dump_files.ge_bytes(
            [np.ones(3, np.int8)], [np.ones((2, 3), np.float16)]))
        text = self.run_for(0, "dump", "ls", "d").stdout.decode()
        self.assertIn(f"float16   (2, 3)               Add.op.{STAMP}.output.0", text)
        found = json.loads(self.run_for(0, "dump", "ls", "d", "--json").stdout)
        self.assertEqual([row["shape"] for row in found], [[3], [2, 3]])

    def test_converts_every_type_to_npy_as_it_is(self):
        rng = np.random.default_rng(0)
        arrays = [(rng.standard_normal((3, 4)) * 50).astype(kind) for kind in dump_files.GE_TYPES]
        self.write(f"d/0/Add.op.{STAMP}", dump_files.ge_bytes(outputs=arrays, padding=32))
        self.run_for(0, "dump", "convert", "d", "-o", "out")
        for i, array in enumerate(arrays):
            got = np.load(self.folder / f"out/0/Add.op.{STAMP}.output.{i}.npy")
            self.assertEqual(got.dtype, array.dtype)
            np.testing.assert_array_equal(got, array)
        before = tree_of(self.folder)
        self.run_for(2, "dump", "convert", "d", "-o", "out")
        self.assert_nothing_written(before)
        self.run_for(0, "dump", "convert", "d", "-o", "out", "--force")

    def test_converts_bfloat16_to_float32(self):
        bits = np.array([0x3F80, 0xC040, 0x7F80], dtype=np.uint16)  # 1, -3, inf
        self.write(f"d/Add.op.{STAMP}", dump_files.ge_bytes(outputs=[bits], codes={0: 27}))
        self.run_for(0, "dump", "convert", "d", "-o", "out")
        got = np.load(self.folder / f"out/Add.op.{STAMP}.output.0.npy")
        self.assertEqual((got.dtype, got.tolist()), (np.float32, [1, -3, float("inf")]))

    def test_takes_tensors_out_of_the_blocks_of_a_device_on_request(self):
        rng = np.random.default_rng(3)
        image = rng.standard_normal((2, 20, 3, 5)).astype(np.float16)
        matrix = rng.standard_normal((18, 7)).astype(np.float32)
        weights = dump_files.fractal_z(rng.standard_normal((16, 16, 1, 1)).astype(np.float32))
        for name, form, blocks in (("Image", 3, dump_files.nc1hwc0(image)),
                                   ("Matrix", 29, dump_files.fractal_nz(matrix)),
                                   ("Weights", 4, weights)):
            self.write(f"d/{name}.op.{STAMP}", dump_files.ge_bytes(outputs=[blocks], form=form))
        result = self.run_for(0, "dump", "convert", "d", "-o", "out", "--nchw")
        self.assertIn("1 tensors stay in the blocks of the device", result.stderr.decode())
        got = {name: np.load(self.folder / f"out/{name}.op.{STAMP}.output.0.npy")
               for name in ("Image", "Matrix", "Weights")}
        self.assertEqual(got["Image"].shape, (2, 32, 3, 5))
        np.testing.assert_array_equal(got["Image"][:, :20], image)
        self.assertEqual(got["Matrix"].shape, (32, 16))
        np.testing.assert_array_equal(got["Matrix"][:18, :7], matrix)
        np.testing.assert_array_equal(got["Weights"], weights)

    def test_converts_every_half(self):
        halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
        (self.folder / "d").mkdir()
        np.save(self.folder / "d/half.npy", halves)
        self.run_for(0, "dump", "convert", "d", "-o", "out", "--to", "txt")
        got = np.loadtxt(self.folder / "out/half.txt", dtype=np.float32).ravel()
        np.testing.assert_array_equal(got, halves.astype(np.float32))

    def test_converts_to_text_that_reads_back_the_same(self):
        array = np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)
        (self.folder / "d").mkdir()
        np.save(self.folder / "d/t.npy", array)
        self.run_for(0, "dump", "convert", "d", "-o", "out", "--to", "txt")
        got = np.loadtxt(self.folder / "out/t.txt", dtype=np.float32)
        np.testing.assert_array_equal(got, array)

    def test_keeps_long_names_in_mapping_csv(self):
        name = "x" * 250 + ".npy"
        (self.folder / "d").mkdir()
        np.save(self.folder / "d" / name, np.ones(2))
        self.run_for(0, "dump", "convert", "d", "-o", "out")
        number, original = (self.folder / "out/mapping.csv").read_text().strip().split(",")
        self.assertEqual(original, name)
        np.testing.assert_array_equal(np.load(self.folder / "out" / number), np.ones(2))
        self.assertIn("x" * 250, self.run_for(0, "dump", "ls", "out").stdout.decode())

    def test_survives_damaged_hdf5(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("python3-h5py is not installed")
        with h5py.File(self.folder / "whole.h5", "w") as file:
            for number in range(4):
                file[f"Conv/{number}/output/y"] = np.arange(12.0)
            file.create_dataset("Relu/5/output/y", data=np.ones((8, 8)), chunks=(4, 4),
                                compression="gzip")
        whole = (self.folder / "whole.h5").read_bytes()
        codes = set()
        for seed in range(150):
            dice = random.Random(seed)
            damaged = bytearray(whole)
            for _ in range(12):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            (self.folder / "damaged.h5").write_bytes(damaged)
            result = subprocess.run([EXECUTABLE, "dump", "convert", "damaged.h5", "-o",
                                     f"out{seed}"], cwd=self.folder, capture_output=True,
                                    check=False)
            self.assertIn(result.returncode, (0, 1, 2), (seed, result.stderr))
            codes.add(result.returncode)
        self.assertGreater(len(codes), 1, "some are read, some are refused")

    def test_extracts_operations_of_hdf5(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("python3-h5py is not installed")
        with h5py.File(self.folder / "in.h5", "w") as file:
            for order in range(3):
                data = file.create_dataset(f"/numpy_T/{order}/output/y", data=np.full(4, order))
                data.attrs["Type"] = np.int32(0)
        self.run_for(0, "dump", "extract", "in.h5", "out.h5", "--op", "/numpy_T/1/")
        self.run_for(0, "dump", "extract", "in.h5", "out.h5", "--op", "numpy_T/2")
        with h5py.File(self.folder / "out.h5", "r") as file:
            self.assertEqual(sorted(file["numpy_T"]), ["1", "2"])
            data = file["numpy_T/1/output/y"]
            self.assertEqual((data[0], data.attrs["Type"]), (1, 0))
        for op, word in (("numpy_T/7", "has no group"), ("numpy_T", "NAME/SEQ"),
                         ("numpy_T/2", "already")):
            text = self.run_for(2, "dump", "extract", "in.h5", "out.h5", "--op", op).stderr.decode()
            self.assertIn(word, text)

    def test_sums_up_the_operators_of_host_logs(self):
        head = "[INFO] ASCENDCL(1,python):2024-01-01 [op.cpp:1]1 aclopCompile::aclOp"
        self.write("logs/a.log",
                   f"{head} OpType: Add, input: float16]\n"
                   f"{head} OpType: Add, input: float16]\n"
                   f"{head} OpType: TransData, format: ND]\n"
                   "[INFO] GE other OpType: No, x]\n[ERROR] ASCENDCL aclopCompile::aclOp OpType: N]\n")
        self.write("logs/b.out", f"{head} OpType: Ignored, x]\n")
        self.run_for(0, "dump", "op-info", "logs")
        text = (self.folder / "ascend_op_info_summary.txt").read_text()
        self.assertEqual(text, "Add input: float16\nTransData format: ND\n")
        self.run_for(2, "dump", "op-info", "logs")
        self.write("empty/a.log", "nothing\n")
        text = self.run_for(2, "dump", "op-info", "empty", "--force").stderr.decode()
        self.assertIn("ASCEND_SLOG_PRINT_TO_STDOUT=1", text)

    def test_names_the_operators_of_an_ir_of_mindspore(self):
        self.write("trace_code_graph_0", """subgraph @kernel_graph_0.3() {
  %0([CNode]5) = Conv2D(%para1_x, %para2_w) {instance name: conv2d} primitive_attrs: {pad: (0, 0)}
       : (<Tensor[Float32]x[const vector][1, 3]>) -> (<Tensor[Float32]x[const vector][1, 2]>)
      : (Default/network-WithLossCell/_backbone-Net/conv1-Conv2d/Conv2D-op12)
      # In file train.py(17)/    return self.relu(self.conv1(x))/
  %1([CNode]6) = ReLU(%0) {instance name: relu} primitive_attrs: {}
      # fullname_with_scope: (Default/network-WithLossCell/_backbone-Net/ReLU-op13)
  %2([CNode]7) = ReLU(%1) {instance name: relu} primitive_attrs: {}
      # fullname_with_scope: (Default/network-WithLossCell/_backbone-Net/ReLU-op13)
      # scope: (Default)
}
""")
        names = ["Default/network-WithLossCell/_backbone-Net/conv1-Conv2d/Conv2D-op12",
                 "Default/network-WithLossCell/_backbone-Net/ReLU-op13"]
        result = self.run_for(0, "dump", "kernels", "trace_code_graph_0")
        self.assertEqual(result.stdout.decode().splitlines(), names)
        result = self.run_for(0, "dump", "kernels", "trace_code_graph_0", "--op", "Conv2D")
        self.assertEqual(result.stdout.decode().splitlines(), names[:1])
        text = self.run_for(0, "generate", "mindspore-dump", "--sync", "--path", "/d", "--net-name",
                            "n", "--kernels", names[0]).stdout
        self.assertEqual(json.loads(text)["common_dump_settings"]["kernels"], names[:1])
        self.assertEqual(json.loads(text)["common_dump_settings"]["dump_mode"], 1)
        result = self.run_for(1, "dump", "kernels", "trace_code_graph_0", "--op", "lstm")
        self.assertIn('no operator has a name with "lstm"', result.stderr.decode())

    def test_says_which_ir_of_mindspore_has_names_of_operators(self):
        self.write("hwopt_d_before_graph_0.ir", "subgraph @a() {\n      # scope: (Default)\n}\n")
        result = self.run_for(2, "dump", "kernels", "hwopt_d_before_graph_0.ir")
        self.assertIn("on Ascend trace_code_graph_{graph_id} has the names", result.stderr.decode())
        self.run_for(2, "dump", "kernels", "missing")
        self.run_for(2, "dump", "kernels", ".")

    def test_keeps_a_mapping_csv_of_others(self):
        (self.folder / "d").mkdir()
        np.save(self.folder / "d" / ("x" * 250 + ".npy"), np.ones(2))
        mine = self.write("out/mapping.csv", "precious\n")
        text = self.run_for(2, "dump", "convert", "d", "-o", "out").stderr.decode()
        self.assertIn("mapping.csv: the file exists", text)
        self.assertEqual(mine.read_text(), "precious\n")
        self.run_for(0, "dump", "convert", "d", "-o", "out", "--force")
        mine.unlink()
        mine.symlink_to("/dev/full")
        self.run_for(2, "dump", "convert", "d", "-o", "out", "--force")

    def test_tells_of_every_file_that_the_disk_did_not_take(self):
        array = np.ones(1000)
        (self.folder / "d").mkdir()
        np.save(self.folder / "d/t.npy", array)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.run_for(2, "dump", "convert", "d", "-o", "out", preexec_fn=limit)
        self.assertEqual(list((self.folder / "out").iterdir()), [])

    def test_recovers_what_an_interrupted_capture_has_left(self):
        package = EXECUTABLE.resolve().parents[1] / "python"
        library = package / "transplt_capture" / "libtransplt_capture.so.1"
        if not library.exists():
            self.skipTest("the capture library was not built")
        if importlib.util.find_spec("torch") is None:
            self.skipTest("python3-torch is not installed")
        code = ("import os, sys, numpy; sys.path.insert(0, sys.argv[1])\n"
                "from transplt_capture import _native\n"
                "_native.register_type(numpy.dtype('f4'), 1, 'float32', 0.0)\n"
                "captures = [_native.Capture(f'd/step{i}', format=0, power_loss_safe=1)\n"
                "            for i in range(2)]\n"
                "for step, capture in enumerate(captures):\n"
                "    capture.put(numpy.full(3, step, 'f4'), 'x')\n"
                "    capture.flush()\n"
                "os._exit(0)\n")
        environment = dict(os.environ, LD_PRELOAD=":".join(sanitizers_of(library)),
                           ASAN_OPTIONS="detect_leaks=0")
        subprocess.run(["/usr/bin/python3", "-c", code, package], cwd=self.folder, check=True,
                       env=environment)
        nothing = code.replace("d/step{i}", "e/step{i}").replace(
            "    capture.put(numpy.full(3, step, 'f4'), 'x')\n", "")
        subprocess.run(["/usr/bin/python3", "-c", nothing, package], cwd=self.folder, check=True,
                       env=environment)
        self.assertIn("what the program had not yet written when it ended is lost",
                      self.run_for(0, "dump", "recover", "e").stderr.decode())
        result = self.run_for(2, "dump", "ls", "d").stderr.decode()
        self.assertIn("holds no tensors", result)
        result = self.run_for(0, "dump", "recover", "d")
        self.assertEqual(result.stdout.decode(), "2 files written\n")
        for step in range(2):
            np.testing.assert_array_equal(np.load(self.folder / f"d/step{step}/x.npy"),
                                          np.full(3, step, "f4"))
        self.assertIn("step1/x", self.run_for(0, "dump", "ls", "d").stdout.decode())
        # Without power_loss_safe the tensors have their files at once, and ls says what is amiss.
        direct = code.replace(", power_loss_safe=1", "").replace("d/step{i}", "f/step{i}")
        subprocess.run(["/usr/bin/python3", "-c", direct, package], cwd=self.folder, check=True,
                       env=environment)
        result = self.run_for(1, "dump", "ls", "f")
        self.assertIn("step1/x", result.stdout.decode())
        self.assertIn("a capture was interrupted", result.stderr.decode())
        self.assertIn("nothing to recover", self.run_for(2, "dump", "recover", "d").stderr.decode())

    def test_names_the_remedy_where_the_capture_library_is_not_installed(self):
        self.write("d/.transplt_capture/000000000.segment", b"x")
        program = self.folder / "bin" / "transplt"
        program.parent.mkdir()
        shutil.copy(EXECUTABLE, program)
        result = subprocess.run([program, "dump", "recover", "d"], cwd=self.folder, check=False,
                                capture_output=True, env={"LANG": "C.UTF-8"})
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"transplt_capture.recover('{self.folder}/d')", result.stderr.decode())


if __name__ == "__main__":
    sys.exit(unittest.main())
