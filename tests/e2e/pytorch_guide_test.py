#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the vendor's migration guide for PyTorch shows as "before" and "after", run as it stands; and
its main.py, from one card to several with mixed precision."""

import pathlib
import shutil
import sys
import unittest

sys.dont_write_bytecode = True

import program  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
PYTHON = "/usr/bin/python3"

# The tables of interfaces: what the first line becomes. The guide leaves `import torch_npu` out.
INTERFACES = {
    "torch.cuda.is_available()": "torch.npu.is_available()",
    "torch.cuda.current_device()": "torch.npu.current_device()",
    "torch.cuda.device_count()": "torch.npu.device_count()",
    "torch.cuda.set_device(0)": "torch.npu.set_device(0)",
    "torch.tensor([1,2,3]).is_cuda": "torch.tensor([1,2,3]).is_npu",
    "torch.tensor([1,2,3]).cuda()": "torch.tensor([1,2,3]).npu()",
    'torch.tensor([1,2,3]).to("cuda")': 'torch.tensor([1,2,3]).to("npu")',
    "torch.cuda.synchronize()": "torch.npu.synchronize()",
    "torch.cuda.device": "torch.npu.device",
    "torch.cuda.Stream(device)": "torch.npu.Stream(device)",
    "torch.cuda.stream(Stream)": "torch.npu.stream(Stream)",
    "torch.cuda.current_stream()": "torch.npu.current_stream()",
    "torch.cuda.default_stream()": "torch.npu.default_stream()",
    'device = torch.device("cuda:0")': 'device = torch.device("npu:0")',
    "torch.cuda.Event()": "torch.npu.Event()",
}
OLD_PROFILER = ("torch.autograd.profiler.profile(use_cuda=True)",
                "torch.autograd.profiler.profile(use_npu=True)")
NEW_PROFILER = "torch.autograd.profiler.profile(use_device='npu')"
TENSORS = {f"torch.tensor([1,2,3],dtype=torch.{kind},device='cuda')":
           f"torch.tensor([1,2,3],dtype=torch.{kind},device='npu')"
           for kind in ("long", "int", "half", "float", "bool")}
TENSORS |= {f"torch.cuda.{kind}Tensor([1,2,3])": f"torch.npu.{kind}Tensor([1,2,3])"
            for kind in ("Bool", "Float", "Int", "Long", "Half")}

ONE_CARD = """import torch
CALCULATE_DEVICE = "{gpu}:0"
torch.{cuda}.set_device(CALCULATE_DEVICE)
model = model.{cuda}()
model = model.to(CALCULATE_DEVICE)
images = images.to(CALCULATE_DEVICE)
target = target.to(CALCULATE_DEVICE)
"""
SEVERAL_CARDS = """import torch
import torch.distributed as dist
import torch.nn.parallel
def main():
    args = parser.parse_args()
    dist.init_process_group(backend='{backend}', init_method=args.dist_url,
                                world_size=args.world_size, rank=args.rank)
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
"""
# A data set, a model and the options for main.py of the fixture.
STARTS = """import argparse
import sys
import torch
import torch.multiprocessing as mp
from main import main_worker


class Args(argparse.Namespace):
    def make_model(self):
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))


def start(gpu, count, distributed):
    generator = torch.Generator().manual_seed(gpu or 0)
    loader = [(torch.randn(4, 3, 2, 2, generator=generator), torch.arange(4) % 3) for _ in range(3)]
    main_worker(gpu, count, Args(
        distributed=distributed, dist_url='tcp://127.0.0.1:' + sys.argv[2], world_size=count,
        rank=gpu or 0, batch_size=8, arch='resnet', lr=0.1, momentum=0.9, weight_decay=1e-4,
        resume='', epochs=2, loader=loader))


if __name__ == '__main__':
    if sys.argv[1] == 'one':
        start(None, 1, False)
    elif sys.argv[1] == 'card':
        start(0, 1, False)
    else:
        mp.spawn(start, nprocs=2, args=(2, True))
"""


class Interfaces(program.ProgramTest):
    def migrated(self, text, *options):
        result = self.run_for(0, "migrate", "-", *options, stdin=text.encode())
        return result.stdout.decode().replace("import torch_npu\n", "")

    def test_of_the_tables_become_what_the_guide_says(self):
        for before, after in (INTERFACES | TENSORS).items():
            with self.subTest(before):
                self.assertEqual(self.migrated(f"import torch\n{before}\n"),
                                 f"import torch\n{after}\n")

    def test_of_the_profiler_are_those_of_the_version(self):
        before, after = OLD_PROFILER
        for version, wanted in (("1.8", after), ("2.1", NEW_PROFILER)):
            self.assertEqual(
                self.migrated(f"import torch\n{before}\n", "--torch-version", version)
                .replace('"npu"', "'npu'"), f"import torch\n{wanted}\n")

    def test_of_the_sample_for_one_card_follow_the_device(self):
        wanted = ONE_CARD.format(gpu="npu", cuda="npu")
        for name in ("cuda", "gpu"):
            self.assertEqual(self.migrated(ONE_CARD.format(gpu=name, cuda="cuda")), wanted)

    def test_of_the_sample_for_several_cards_use_hccl(self):
        self.assertEqual(self.migrated(SEVERAL_CARDS.format(backend="nccl")),
                         SEVERAL_CARDS.format(backend="hccl"))


class MainScript(program.ProgramTest):
    """main.py in the order of the guide: the fixture, with a start."""

    def setUp(self):
        super().setUp()
        project = self.folder / "project"
        project.mkdir()
        fixture = FIXTURES / "a_model_is_wrapped_after_amp_is_initialized"
        shutil.copy(fixture / "before" / "main.py", project)
        self.write("project/start.py", STARTS)

    def verify(self, code, *arguments):
        return self.run_for(code, "verify", "project", "out/project_msft", "--python", PYTHON,
                            "--skip-cpu", *arguments).stdout.decode()

    def migrate(self, *options):
        self.run_for(0, "migrate", "project", "-o", "out", "--amp", "apex", *options)
        return (self.folder / "out/project_msft/main.py").read_text()

    def test_trains_with_apex_on_one_card_and_on_two(self):
        text = self.migrate()
        self.assertIn("amp.initialize(model, optimizer, opt_level=", text)
        for arguments in (["--", "start.py", "one", "0"], ["--", "start.py", "card", "0"],
                          ["--devices", "2", "--", "start.py", "two", "29517"]):
            with self.subTest(arguments=arguments):
                self.assertIn("equal: runs device-consistently", self.verify(0, *arguments))

    @unittest.skipUnless(program.LONG, "long")
    def test_trains_with_gradients_that_apex_combines(self):
        self.assertIn("combine_ddp=combine_ddp", self.migrate("--combine-ddp"))
        said = self.verify(1, "--devices", "2", "--", "start.py", "two", "29518")
        # The momentum of both weights is the same; their names have lost "module.".
        self.assertIn("1 compared, 2 tensors in them", said)
        self.assertEqual(said.count("      ! checkpoint.pth.tar: state_dict."), 4)
        self.assertEqual(said.count("      ! "), 4)

    def test_wants_apex_where_gradients_are_combined(self):
        result = self.run_for(2, "migrate", "project", "--combine-ddp")
        self.assertIn(b"add --amp apex", result.stderr)


if __name__ == "__main__":
    unittest.main()
