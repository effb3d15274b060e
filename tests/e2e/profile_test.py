#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt profile on traces of torch's own profiler, made here on a CPU, and on files made by hand
in the forms of torch_npu.profiler, msprof and the host log: no NPU was there to write them.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from program import LONG, ProgramTest  # noqa: E402

# Each function of a step has one bottleneck that takes most of its time.
TORCH_STEPS = """
import sys, time, torch
from torch.utils.data import DataLoader, Dataset
torch.set_num_threads(1)

class Slow(Dataset):
    def __len__(self): return 1000
    def __getitem__(self, i):
        time.sleep(0.005)
        return torch.ones(3, 8, 8)

small = torch.nn.Linear(8, 4)
batches = iter(DataLoader(Slow(), 8))
picture = torch.ones(8, 16, 64, 64)
conv = torch.nn.Conv2d(16, 64, 5)
big = torch.ones(16, 256, 256)
wide = torch.ones(1000, 1000)
layers = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(60)])
adam = torch.optim.Adam(layers.parameters(), foreach=False)

def loading():
    small(next(batches)).sum().backward()

def operators():
    conv(picture).sum().backward()

def copies():
    (big.transpose(0, 2).contiguous().permute(1, 0, 2).contiguous() + 1).sum()

def optimizer():
    adam.zero_grad()
    layers(torch.ones(2, 16)).sum().backward()
    adam.step()

def host():
    sum(range(2000000))
    small(torch.ones(4, 8)).sum()

def casts():
    (wide.double().float().double().float() * 2).sum()

for step in (loading, operators, copies, optimizer, host, casts):
    step()
    with torch.autograd.profiler.profile(record_shapes=True, with_stack=True) as profile:
        for _ in range(3):
            step()
    profile.export_chrome_trace(f"{sys.argv[1]}/{step.__name__}.json")
    table = profile.key_averages(group_by_stack_n=8).table()
    open(f"{sys.argv[1]}/{step.__name__}.txt", "w").write(table)
"""

# Trainings with several bottlenecks each. All of them work on the processor, so that a busy machine
# makes all of them slower, and their order stays.
MIXED_STEPS = """
import sys, torch
from torch.utils.data import DataLoader, Dataset
torch.set_num_threads(1)
torch.manual_seed(0)

def busy(rounds):
    return sum(range(rounds * 100000))

class Pictures(Dataset):
    def __init__(self, rounds): self.rounds = rounds
    def __len__(self): return 1000
    def __getitem__(self, i):
        busy(self.rounds)
        return torch.ones(3, 8, 8)

big = torch.ones(16, 256, 256)
wide = torch.ones(1000, 1000)
square = torch.ones(150, 150)
layers = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(40)])
adam = torch.optim.Adam(layers.parameters(), foreach=False)
heavy = iter(DataLoader(Pictures(20), 8))
light = iter(DataLoader(Pictures(6), 8))

def copies(times):
    for _ in range(times):
        big.transpose(0, 2).contiguous()

def casts(times):
    for _ in range(times):
        wide.double()

def products(times):
    for _ in range(times):
        torch.mm(square, square)

def updates(times):
    for _ in range(times):
        for one in layers.parameters():
            one.grad = torch.ones_like(one)
        adam.step()

def loading_copies_casts():
    next(heavy); copies(6); casts(12)

def product_copies_host():
    products(60); copies(6); busy(8)

def copies_casts_host():
    copies(12); casts(50); busy(6)

def host_optimizer_casts():
    busy(160); updates(12); casts(5)

def product_loading_casts():
    products(60); next(light); casts(15)

for step in (loading_copies_casts, product_copies_host, copies_casts_host, host_optimizer_casts,
             product_loading_casts):
    step()
    with torch.autograd.profiler.profile() as profile:
        for _ in range(2):
            step()
    profile.export_chrome_trace(f"{sys.argv[1]}/{step.__name__}.json")
"""

PROCESSES = {1: "Python", 2: "CANN", 3: "Ascend Hardware", 4: "Communication", 5: "Overlap Analysis"}
START = 1700000000000000.0


class NpuTrace:
    """Writes what torch_npu.profiler calls trace_view.json: times as texts, kernels on streams of
    the process Ascend Hardware, arrows from what launched them."""

    def __init__(self):
        self.events = [{"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}
                       for pid, name in PROCESSES.items()]
        self.now = START
        self.arrows = 0

    def event(self, process, name, duration, category=None, at=None, **args):
        event = {"ph": "X", "pid": process, "tid": process * 10, "name": name,
                 "ts": f"{self.now if at is None else at:.3f}", "dur": duration, "args": args}
        if category:
            event["cat"] = category
        self.events.append(event)

    def arrow(self, phase, process, at):
        self.events.append({"ph": phase, "bp": "e", "cat": "async_npu", "id": str(self.arrows),
                            "pid": process, "tid": process * 10, "name": "async_npu",
                            "ts": f"{at:.3f}"})

    def kernel(self, name, duration, op="aten::conv2d", stack="", core="AI_CORE"):
        arguments = {"Call stack": stack} if stack else {}
        self.event(1, op, 3, "cpu_op", **arguments)
        self.arrows += 1
        self.arrow("s", 1, self.now + 1)
        self.arrow("f", 3, self.now + 5)
        self.event(3, name, duration, at=self.now + 5, **{"Task Type": core})
        self.event(5, "Computing", duration, at=self.now + 5)
        self.now += 5 + duration

    def host(self, name, duration, process=1):
        self.event(process, name, duration, "cpu_op" if process == 1 else None)
        self.now += duration

    def step(self, number, start):
        self.event(1, f"ProfilerStep#{number}", self.now - start, "user_annotation", at=start)

    def text(self):
        return json.dumps(self.events)


class Profile(ProgramTest):
    def profiles(self, *arguments, code=0):
        run = self.run_for(code, "profile", *arguments, "--json")
        return json.loads(run.stdout)["profiles"]

    def ids(self, *arguments, **options):
        profile, = self.profiles(*arguments, **options)
        return [bottleneck["operator"] or bottleneck["id"]
                for bottleneck in profile["bottlenecks"]]


class TorchTraces(Profile):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.traces = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.traces.cleanup)
        script = pathlib.Path(cls.traces.name, "steps.py")
        script.write_text(TORCH_STEPS)
        subprocess.run([sys.executable, str(script), cls.traces.name], check=True,
                       stderr=subprocess.DEVNULL, env=dict(os.environ, OMP_NUM_THREADS="1"))

    def first_of(self, name):
        return self.ids(f"{self.traces.name}/{name}")[0]

    def test_a_slow_data_set_is_data_loading(self):
        self.assertEqual(self.first_of("loading.json"), "data-loading")

    def test_a_costly_operator_and_its_backward_come_first_by_name(self):
        self.assertEqual(set(self.ids(f"{self.traces.name}/operators.json")[:2]),
                         {"aten::conv2d", "ConvolutionBackward0"})

    def test_copies_of_transposed_tensors_are_copies(self):
        self.assertEqual(self.first_of("copies.json"), "copy")

    def test_many_small_parameters_are_the_optimizer(self):
        self.assertEqual(self.first_of("optimizer.json"), "optimizer")

    def test_python_between_the_operators_is_the_host(self):
        self.assertEqual(self.first_of("host.json"), "host")

    def test_casts_to_and_fro_are_transfers_and_casts(self):
        self.assertEqual(self.first_of("casts.json"), "transfer")

    def test_the_shares_of_a_trace_make_up_the_whole(self):
        for trace in ("loading", "operators", "optimizer", "host"):
            profile, = self.profiles(f"{self.traces.name}/{trace}.json")
            self.assertAlmostEqual(sum(b["share"] for b in profile["bottlenecks"]), 1, places=6)

    def test_a_printed_table_gives_the_function_of_the_user_s_code(self):
        profile, = self.profiles(f"{self.traces.name}/copies.txt")
        copy = profile["bottlenecks"][0]
        line = 1 + TORCH_STEPS.split("\n").index(
            "def copies():")
        self.assertEqual(copy["id"], "copy")
        self.assertTrue(copy["places"][0]["text"].endswith(f"steps.py:{line} (copies)"), copy["places"])

    def test_a_printed_table_knows_data_loading_although_it_cuts_the_name(self):
        self.assertEqual(self.first_of("loading.txt"), "data-loading")


class WrittenTraces(Profile):
    """Traces in the form of torch's own profiler whose times the test writes."""

    def trace(self, *calls):
        """Each call is a pause before it, a duration and the names of operators, the outer first.
        All times are microseconds."""
        now, events = 0, []
        for pause, duration, *names in calls * 3:
            now += pause
            for depth, name in enumerate(names):
                events.append({"ph": "X", "pid": "CPU functions", "tid": 1, "name": name,
                               "ts": now + depth, "dur": duration - 2 * depth, "args": {}})
            now += duration
        return str(self.write("trace.json", json.dumps(events)))

    COPY = ("aten::contiguous", "aten::clone", "aten::copy_")
    CAST = ("aten::to", "aten::_to_copy", "aten::copy_")
    BATCH = ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",)
    STEP = ("Optimizer.step#Adam.step", "aten::addcdiv_")

    def test_name_the_first_three_bottlenecks_in_their_order(self):
        copy, cast, batch, step = self.COPY, self.CAST, self.BATCH, self.STEP
        for calls, order in (
                ([(0, 4000, *copy), (0, 2000, *cast), (1000, 10, "aten::mul")],
                 ["copy", "transfer", "host"]),
                ([(0, 2000, *copy), (0, 4000, *cast), (1000, 10, "aten::mul")],
                 ["transfer", "copy", "host"]),
                ([(0, 9000, *batch), (0, 2000, *copy), (0, 1000, *cast)],
                 ["data-loading", "copy", "transfer"]),
                ([(0, 9000, "aten::mm"), (0, 4000, *batch), (0, 1000, *cast)],
                 ["aten::mm", "data-loading", "transfer"]),
                ([(9000, 4000, *step), (0, 1000, *cast)], ["host", "optimizer", "transfer"])):
            with self.subTest(order=order):
                self.assertEqual(self.ids(self.trace(*calls))[:3], order)


@unittest.skipUnless(LONG, "its order is that of times on this machine")
class MixedTraces(Profile):
    """Traces of torch's own profiler, made on this machine: the first three bottlenecks of each."""

    ORDERS = {
        "loading_copies_casts": ["data-loading", "copy", "transfer"],
        "product_copies_host": ["aten::mm", "copy", "host"],
        "copies_casts_host": ["copy", "transfer", "host"],
        "host_optimizer_casts": ["host", "optimizer", "transfer"],
        "product_loading_casts": ["aten::mm", "data-loading", "transfer"],
    }

    def test_name_the_first_three_bottlenecks_in_their_order(self):
        script = self.write("steps.py", MIXED_STEPS)
        subprocess.run([sys.executable, str(script), str(self.folder)], check=True,
                       stderr=subprocess.DEVNULL, env=dict(os.environ, OMP_NUM_THREADS="1"))
        for name, order in self.ORDERS.items():
            with self.subTest(trace=name):
                self.assertEqual(self.ids(f"{name}.json")[:3], order)


class NpuFiles(Profile):
    def trace(self, *steps):
        """A trace of three steps that all do the same."""
        trace = NpuTrace()
        for number in range(3):
            start = trace.now
            for step in steps:
                step(trace)
            trace.step(number, start)
        return self.write("trace_view.json", trace.text())

    def test_conversions_and_copies_are_named_with_the_line_that_launched_them(self):
        stack = "torch/nn/modules/conv.py(450): forward;\r\nmodel.py(33): forward;\r\ntrain.py(9): f"
        path = self.trace(
            lambda t: t.kernel("Conv2D", 300, stack=stack),
            lambda t: t.kernel("TransData", 500, stack=stack),
            lambda t: t.kernel("D2DCopywithStreamSynchronize", 200, op="aten::contiguous",
                               stack="model.py(40): attention"))
        profile, = self.profiles(str(path))
        found = profile["bottlenecks"]
        self.assertEqual([b["operator"] or b["id"] for b in found[:3]],
                         ["format-conversion", "Conv2D", "copy"])
        self.assertEqual(found[0]["places"][0]["text"], "model.py:33 (forward)")
        self.assertEqual(found[2]["places"][0]["text"], "model.py:40 (attention)")
        self.assertEqual((profile["steps"], profile["has_device"]), (3, True))

    def test_what_the_host_does_counts_only_while_the_device_idles(self):
        def hidden(trace):
            trace.event(1, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 350,
                        "cpu_op", at=trace.now + 4)
            trace.kernel("MatMulV2", 400, op="aten::linear")
        self.assertEqual(self.ids(str(self.trace(hidden)))[0], "MatMulV2")

    def test_waiting_for_a_batch_compiling_and_communication_are_named(self):
        path = self.trace(
            lambda t: t.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 900),
            lambda t: t.kernel("MatMulV2", 400),
            lambda t: t.host("hcom_allReduce__310_0_1", 300, process=4))
        self.assertEqual(self.ids(str(path))[:3], ["data-loading", "MatMulV2", "communication"])

    def test_a_shuffle_of_channels_is_copies_conversions_and_its_operator(self):
        stack = "torchvision/models/shufflenetv2.py(20): channel_shuffle;\r\nmain.py(300): train"
        path = self.trace(
            lambda t: t.kernel("AsStrided", 900, op="aten::contiguous", stack=stack),
            lambda t: t.kernel("TransData", 500, stack=stack),
            lambda t: t.kernel("GatherV2", 285, op="aten::index_select", stack=stack),
            lambda t: t.kernel("ReluGrad", 100, op="aten::threshold_backward"))
        profile, = self.profiles(str(path))
        found = profile["bottlenecks"]
        self.assertEqual([b["operator"] or b["id"] for b in found[:3]],
                         ["copy", "format-conversion", "GatherV2"])
        self.assertIn("channel_shuffle", found[0]["places"][0]["text"])

    def test_compiling_the_ai_cpu_and_synchronization_are_named(self):
        path = self.trace(lambda t: t.host("AscendCL@aclopCompileAndExecute", 2000, process=2),
                          lambda t: t.kernel("IndexPut", 600, core="AI_CPU"),
                          lambda t: t.host("aten::item", 100))
        self.assertEqual(self.ids(str(path))[:3], ["compile", "ai-cpu", "synchronization"])

    def test_communication_under_a_kernel_costs_nothing(self):
        def overlapped(trace):
            trace.event(4, "hcom_allReduce__310_0_1", 300, at=trace.now + 50)
            trace.kernel("MatMulV2", 400)
        self.assertNotIn("communication", self.ids(str(self.trace(overlapped))))

    def test_kernel_details_are_read(self):
        rows = ["Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes"]
        now = 100.0
        for _ in range(4):
            for kind, core, micros in (("TransData", "AI_VECTOR_CORE", 400),
                                       ("MatMulV2", "AI_CORE", 250), ("Index", "AI_CPU", 150)):
                rows.append(f'0,aclnn_{kind},{kind},{core},"{now}\t",{micros},"""64,3;8"""')
                now += micros + 10
        path = self.write("kernel_details.csv", "\r\n".join(rows) + "\r\n")
        self.assertEqual(self.ids(str(path))[:3], ["format-conversion", "MatMulV2", "ai-cpu"])

    def table(self, *rows):
        """What print(prof) prints for the NPU: rows of a name, times of the CPU and the NPU in ms,
        and a number of calls."""
        head = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg",
                "Self NPU %", "Self NPU", "NPU total", "NPU time avg", "# of Calls")
        rule = "  ".join("-" * (40 if i == 0 else 14) for i in range(len(head)))
        lines = [rule, self.line(head), rule]
        for name, cpu, npu, calls in rows:
            cpu, npu = f"{cpu:.3f}ms", f"{npu:.3f}ms"
            lines.append(self.line((name, "1%", cpu, "1%", cpu, cpu, "1%", npu, npu, npu, calls)))
        return self.write("prof.txt", "\n".join([*lines, rule, "Self CPU time total: 1s"]) + "\n")

    @staticmethod
    def line(cells):
        return "  ".join(f"{cell:>{40 if i == 0 else 14}}" for i, cell in enumerate(cells))

    def test_a_table_of_a_busy_npu_gives_the_time_of_its_kernels(self):
        path = self.table(("aten::conv2d", 2, 60, 10), ("aten::contiguous", 1, 30, 5),
                          ("aten::item", 5, 0, 5))
        profile, = self.profiles(str(path))
        found = profile["bottlenecks"]
        self.assertEqual([b["operator"] or b["id"] for b in found], ["aten::conv2d", "copy"])
        self.assertAlmostEqual(profile["micros"], 90000)

    def test_a_table_of_the_guide_s_copies_and_conversions_names_three_bottlenecks(self):
        path = self.table(("PTCopy", 1, 50, 100), ("format_contiguous", 1, 20, 50),
                          ("TransData", 1, 45, 60), ("aten::conv2d", 2, 20, 10),
                          ("D2DCopywithStreamSynchronize", 1, 15, 30))
        profile, = self.profiles(str(path))
        found = [(b["operator"] or b["id"], round(b["micros"] / 1000))
                 for b in profile["bottlenecks"]]
        self.assertEqual(found[:3], [("copy", 85), ("format-conversion", 45),
                                     ("aten::conv2d", 20)])

    def test_a_table_of_a_slow_host_gives_the_rest_to_the_host(self):
        path = self.table(("aten::conv2d", 20, 40, 10),
                          ("enumerate(DataLoader)#_SingleProcess...", 100, 0, 10),
                          ("aten::add", 30, 10, 10))
        profile, = self.profiles(str(path))
        found = profile["bottlenecks"]
        self.assertEqual([(b["operator"] or b["id"], round(b["micros"] / 1000)) for b in found],
                         [("data-loading", 100), ("aten::conv2d", 40), ("aten::add", 10)])
        self.assertAlmostEqual(sum(b["share"] for b in found), 1)

    def test_a_host_log_tells_what_is_compiled_again_and_again(self):
        lines, now = [], 0

        def say(text, wait):
            nonlocal now
            now += wait
            lines.append(f"[INFO] ASCENDCL(101,python3):2024-06-13-14:{now // 60000000:02}:"
                         f"{now // 1000000 % 60:02}.{now // 1000 % 1000:03}.{now % 1000:03} "
                         f"[op.cpp:1]101 {text}")

        for step in range(3):
            say(f"aclopCompile::aclOp, OpType: Conv2D, Input: [{step},3]]", 100)
            say("To compile op Conv2D", 50)
            say("done", 800000)
            say("aclopCompile::aclOp, OpType: Add, Input: [3]]", 100)
            if step == 0:
                say("Match op inputs/type failed", 50)
                say("To compile op Add", 50)
            say("aclopCompile::aclOp, OpType: TransData, Input: [3]]", 300000)
        profile, = self.profiles(str(self.write("plog.log", "\n".join(lines) + "\n")))
        compiled, converted = profile["bottlenecks"]
        self.assertEqual((compiled["id"], compiled["count"]), ("compile", 2))
        self.assertEqual([name["text"] for name in compiled["names"]], ["Conv2D"])
        self.assertAlmostEqual(compiled["micros"], 1600000)
        self.assertEqual((converted["id"], converted["count"]), ("format-conversion", 3))
        self.assertIn("1 operators were compiled once", profile["notes"][0])

    def test_a_folder_gives_the_files_that_profilers_write(self):
        self.trace(lambda t: t.kernel("MatMulV2", 400))
        self.write("config.json", "{}")
        self.write("notes.txt", "nothing")
        profile, = self.profiles(".")
        self.assertEqual(profile["file"], "./trace_view.json")

    def test_the_page_loads_nothing_and_keeps_names_as_texts(self):
        path = self.trace(lambda t: t.kernel("</script><script>alert(1)</script>", 400))
        self.run_for(0, "profile", str(path), "--html", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertNotIn("<script", page)
        self.assertNotIn("http://", page)
        self.assertIn("default-src 'none'", page)
        self.run_for(2, "profile", str(path), "--html", "page.html")
        self.run_for(0, "profile", str(path), "--html", "page.html", "--force")

    def test_chinese_is_spoken(self):
        path = self.trace(lambda t: t.kernel("TransData", 400))
        run = self.run_for(0, "--lang", "zh", "profile", str(path))
        self.assertIn("1. 格式转换 (TransData)", run.stdout.decode())


class BadFiles(Profile):
    def refused(self, content, name="trace.json"):
        return self.run_for(2, "profile", str(self.write(name, content))).stderr.decode()

    def test_a_trace_that_ends_in_the_middle_is_read_as_far_as_it_goes(self):
        trace = NpuTrace()
        trace.kernel("MatMulV2", 400)
        trace.kernel("TransData", 900)
        path = self.write("trace.json", trace.text()[:-300])
        profile, = self.profiles(str(path), code=1)
        self.assertIn("ends in the middle", profile["notes"][0])
        self.assertEqual(profile["bottlenecks"][0]["operator"], "MatMulV2")

    def test_an_empty_file_is_refused(self):
        self.assertIn("is no profile that is known", self.refused(""))

    def test_json_that_is_no_trace_is_refused(self):
        self.assertIn("holds no timed events", self.refused('{"a": [1, 2]}'))
        self.assertIn("holds no timed events", self.refused("[]"))

    def test_broken_json_is_refused_with_its_byte(self):
        self.assertIn("mistake at byte", self.refused('{"traceEvents": [}'))

    def test_a_compressed_trace_is_refused_with_the_remedy(self):
        self.assertIn("gunzip", self.refused(b"\x1f\x8b\x08\x00", "trace.json.gz"))

    def test_a_duration_that_is_no_number_is_refused_with_its_row(self):
        text = "Name,Start Time(us),Duration(us)\na,1,2\nb,1,soon\n"
        self.assertIn("kernel_details.csv:3", self.refused(text, "kernel_details.csv"))

    def test_a_quote_that_is_never_closed_is_refused_with_its_line(self):
        text = 'Name,Start Time(us),Duration(us)\na,1,2\n"b,1,2\n'
        self.assertIn("kernel_details.csv:3", self.refused(text, "kernel_details.csv"))

    def test_a_log_without_operators_is_refused(self):
        text = "[INFO] ASCENDCL(1,python):2024-06-13-14:00:00.000.000 hello\n"
        self.assertIn("log level info", self.refused(text, "plog.log"))

    def test_a_file_that_is_not_there_is_refused(self):
        self.assertIn("cannot be read", self.run_for(2, "profile", "nothing.json").stderr.decode())

    def test_a_folder_without_profiles_is_refused(self):
        self.write("readme.txt", "nothing")
        self.assertIn("name the file itself", self.run_for(2, "profile", ".").stderr.decode())

    def test_a_pipe_is_refused(self):
        os.mkfifo(self.folder / "trace.json")
        self.assertIn("is no plain file", self.run_for(2, "profile", "trace.json").stderr.decode())

    def test_a_readable_file_beside_a_broken_one_is_still_told(self):
        trace = NpuTrace()
        trace.kernel("MatMulV2", 400)
        good = self.write("a.json", trace.text())
        bad = self.write("b.json", "nothing")
        run = self.run_for(1, "profile", str(good), str(bad))
        self.assertIn("operator MatMulV2", run.stdout.decode())
        self.assertIn("b.json: is no profile", run.stderr.decode())

    def test_negative_times_and_deep_nesting_do_no_harm(self):
        deep = '{"a":' * 2000 + "1" + "}" * 2000
        text = ('[{"ph": "X", "name": "a", "ts": 5, "dur": -1}, {"ph": "X", "name": "b", "ts": 1, '
                '"dur": 4, "args": ' + deep + "}]")
        self.assertEqual(self.ids(str(self.write("trace.json", text))), ["b"])


if __name__ == "__main__":
    unittest.main()
