#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every public format of the capture library, read back by somebody else's reader."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy

PROGRAM = os.environ["CAPTURE_PROGRAM"]
HERE = pathlib.Path(__file__).resolve().parent
NPY, MINDSPORE_SYNC, MINDSPORE_ASYNC, GE, HDF5 = range(5)
# Those that pyenv has installed as well.
PYENV = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
PYTHONS = [sys.executable] + sorted(
    str(python) for python in PYENV.glob("versions/3.*/bin/python")
    if int(python.parts[-3].split(".")[1]) >= 8)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.root = self.folder / "run"

    def capture(self, form, records=4, size=4000, mode="once"):
        result = subprocess.run([PROGRAM, str(self.root), str(form), str(records), str(size),
                                 mode], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return sorted(p for p in self.root.rglob("*")
                      if p.is_file() and p.name != "transplt_capture.json")

    def test_npy_is_read_by_numpy(self):
        files = self.capture(NPY)
        self.assertEqual([str(f.relative_to(self.root)) for f in files],
                         [f"Default/Add-op{op}.{direction}.npy"
                          for op in (0, 1) for direction in ("input", "output")])
        values = numpy.load(files[2])
        self.assertEqual((values.shape, values.dtype), ((500, 2), numpy.float32))
        self.assertTrue((values == 3).all())

    def test_synchronous_files_of_mindspore_have_type_and_shape_in_their_name(self):
        files = self.capture(MINDSPORE_SYNC)
        self.assertEqual([str(f.relative_to(self.root)) for f in files], [
            f"Net/device_0/iteration_5/Default--Add-op{op}_{d}_0_shape_500_2_Float32_NCHW.bin"
            for op in (0, 1) for d in ("input", "output")])
        self.assertTrue((numpy.fromfile(files[0], numpy.float32) == 1).all())

    def read_dump_data(self, file):
        if shutil.which("protoc") is None:
            self.skipTest("protoc is not installed")
        subprocess.run(["protoc", f"-I{HERE}", f"--python_out={self.folder}",
                        str(HERE / "dump_data.proto")], check=True)
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        import dump_data_pb2  # noqa: E402
        content = file.read_bytes()
        (size,) = struct.unpack_from("<Q", content)
        message = dump_data_pb2.DumpData.FromString(content[8:8 + size])
        return message, content[8 + size:]

    def test_ge_files_are_read_by_what_protoc_makes(self):
        files = self.capture(GE)
        folder = self.root / "20260102030405" / "0" / "ge_default_1" / "11" / "5"
        self.assertEqual([f.parent for f in files], [folder, folder])
        fields = files[1].name.split(".")
        self.assertEqual(fields[:4], ["Add_V2", "Default_Add-op1", "1", "3"])
        self.assertEqual(len(fields), 5)
        message, payload = self.read_dump_data(files[1])
        self.assertEqual((message.op_name, message.version), ("Default/Add-op1", "1.0"))
        self.assertEqual(str(message.dump_time), fields[4])
        (first,), (result,) = message.input, message.output
        self.assertEqual((first.data_type, first.format, first.size), (1, 0, 4000))
        self.assertEqual((result.data_type, result.format, result.size), (1, 0, 4000))
        for tensor in (first, result):
            self.assertEqual(list(tensor.shape.dim), [500, 2])
            self.assertEqual(list(tensor.original_shape.dim), [500, 2])
        values = numpy.frombuffer(payload, numpy.float32).reshape(2, 500, 2)
        self.assertTrue((values[0] == 3).all(), "the input comes first")
        self.assertTrue((values[1] == 2).all())

    def test_asynchronous_files_of_mindspore_name_no_stream(self):
        files = self.capture(MINDSPORE_ASYNC)
        self.assertEqual(files[0].parent, self.root / "0" / "Net_graph_11" / "11" / "5")
        fields = files[1].name.split(".")
        self.assertEqual(fields[:3], ["Add_V2", "Default_Add-op1", "1"])
        self.assertEqual(len(fields), 4)

    def test_names_that_are_too_long_become_digits_that_a_table_explains(self):
        files = self.capture(GE, mode="long-names")
        by_name = {f.name: f for f in files}
        rows = [line.split(",", 1) for line in by_name.pop("mapping.csv").read_text().splitlines()]
        self.assertEqual(sorted(by_name), sorted(row[0] for row in rows))
        self.assertEqual(len(rows), 2)
        for digits, name in rows:
            self.assertTrue(digits.isdigit())
            self.assertTrue(name.startswith("Add_V2.Default_Add-op"))
            message, _ = self.read_dump_data(by_name[digits])
            self.assertIn("xxx", message.op_name)

    def test_hdf5_has_the_layout_that_msaccucmp_reads(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        (file,) = self.capture(HDF5)
        with h5py.File(file) as data:
            dataset = data["/Default_Add_op1/1/input/0"]
            attributes = {k: numpy.asarray(v).tolist() for k, v in dataset.attrs.items()}
            self.assertEqual(attributes, {"Type": 0, "DataType": 1, "DeviceType": 10,
                                          "FormatType": 0, "Stride": [2, 1]})
            self.assertTrue((dataset[()] == 3).all())
            self.assertEqual(dataset.dtype, numpy.float32)
            self.assertTrue((data["/Default_Add_op1/1/output/0"][()] == 2).all())


class Library(unittest.TestCase):
    FOLDER = pathlib.Path(os.environ["CAPTURE_FOLDER"]) / "transplt_capture"

    def test_it_gives_the_names_of_its_header_and_no_other(self):
        names = subprocess.run(["nm", "-D", "--defined-only",
                                str(self.FOLDER / "libtransplt_capture.so")],
                               text=True, stdout=subprocess.PIPE, check=True).stdout.split()[2::3]
        names = {name.split("@")[0] for name in names} - {"TRANSPLT_CAPTURE_1"}
        header = (HERE.parents[1] / "runtime/include/transplt/capture.h").read_text()
        self.assertEqual({n for n in names if n + "(" not in header}, set())
        self.assertIn("transplt_capture_open", names)

    def test_the_module_asks_python_for_nothing_but_its_stable_interface(self):
        """Or it would not load in Python 3.8, for which the wheel is meant too."""
        names = subprocess.run(["nm", "-D", "--undefined-only",
                                str(self.FOLDER / "_native.abi3.so")],
                               text=True, stdout=subprocess.PIPE, check=True).stdout.split()
        asked = {name for name in names if name.startswith(("Py", "_Py"))}
        self.assertIn("PyModuleDef_Init", asked)
        # In later headers these are functions, or came later.
        self.assertEqual({name for name in asked if name in (
            "PyObject_GetBuffer", "PyUnicode_AsUTF8", "PyUnicode_AsUTF8AndSize",
            "PyType_GetModule", "PyType_FromModuleAndSpec", "PyModule_AddObjectRef",
            "PyObject_CallNoArgs", "PyObject_VectorcallMethod", "PyFrame_GetBack",
            "PyThreadState_GetFrame", "PyFrame_GetCode", "PyFrame_GetLineNumber")}, set())

    def test_the_module_loads_in_every_python_that_is_here(self):
        code = "import transplt_capture._native as n; print(n.selected('0|3-5', 4))"
        for python in PYTHONS:
            done = subprocess.run([python, "-c", code], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False,
                                  env={**os.environ, "PYTHONPATH": str(self.FOLDER.parent),
                                       "PYTHONDONTWRITEBYTECODE": "1"})
            self.assertEqual((done.stdout, done.stderr), ("True\n", ""), python)

    def test_the_wheel_is_importable_from_anywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable,
                                   str(HERE.parents[1] / "runtime/python/make_wheel.py"),
                                   str(self.FOLDER), folder], text=True, stdout=subprocess.PIPE,
                                  check=True)
            self.assertRegex(made.stdout, r"-cp38-abi3-manylinux_2_\d+_\w+\.whl\n$")
            with zipfile.ZipFile(made.stdout.strip()) as wheel:
                wheel.extractall(folder)
            code = ("import sys; sys.path.insert(0, sys.argv[1]); import transplt_capture; "
                    "maps = open('/proc/self/maps').read(); "
                    "own = sys.argv[1] + '/transplt_capture/'; "
                    "assert own + 'libtransplt_capture.so' in maps; "
                    "assert own + 'libhwy.so' in maps")
            subprocess.run([sys.executable, "-c", code, folder], check=True)


if __name__ == "__main__":
    unittest.main()
