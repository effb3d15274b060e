#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes that a migration really makes: each is caught, with its file and line."""

import simulation

TRAINING = """
import torch
import torch_npu
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device('npu:0')
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
model = model.to(device)
optimizer = torch.optim.Adam(model.parameters())
data = TensorDataset(torch.randn(12, 4), torch.randint(0, 3, (12,)))
loader = DataLoader(data, batch_size=4, pin_memory=True)
weights = torch.ones(3, device=device)
seen = []
for x, target in loader:
    x = x.to(device, non_blocking=True)
    target = target.npu(non_blocking=True)
    optimizer.zero_grad()
    with torch.npu.amp.autocast():
        output = model(x)
        loss = F.cross_entropy(output, target, weight=weights)
    loss.backward()
    optimizer.step()
    seen.append(output.detach().cpu().numpy())
torch.npu.synchronize()
torch.save(model.state_dict(), 'model.pt')
model.load_state_dict(torch.load('model.pt', map_location='npu:0'))
print('loss %.4f' % loss.item())
"""

GROUP = """
import os
import torch
import torch_npu
import torch.distributed as dist
os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='0', RANK='0', WORLD_SIZE='1')
store = dist.HashStore()
dist.init_process_group('hccl', store=store, rank=0, world_size=1)
total = torch.ones(2).npu()
dist.all_reduce(total)
"""


class Breakage(simulation.SimulatedTest):
    """Each test changes one line of a script that runs."""

    def broken(self, before, after, script=TRAINING):
        self.assertEqual(script.count(before), 1, before)
        return self.run_script(script.replace(before, after + "  # here"))

    def assert_stops(self, result, kind, words):
        self.assert_fails(result)
        self.assert_reported(result, kind, words)
        self.assert_reported(result, "exception", "")


class Unbroken(simulation.SimulatedTest):
    def test_the_training_script_runs_and_nothing_is_reported(self):
        result = self.run_script(TRAINING)
        self.assert_runs(result)
        for kind in ("residual", "violation", "exception"):
            self.assertEqual(result.of(kind), [])

    def test_the_group_runs_and_nothing_is_reported(self):
        result = self.run_script(GROUP)
        self.assert_runs(result)
        self.assertEqual(result.of("residual") + result.of("violation"), [])


class MissedCuda(Breakage):
    def test_a_missed_device_string(self):
        result = self.broken("x = x.to(device, non_blocking=True)", "x = x.to('cuda')")
        self.assert_stops(result, "residual", "device 'cuda'")

    def test_a_missed_torch_device(self):
        result = self.broken("device = torch.device('npu:0')", "device = torch.device('cuda')")
        self.assert_fails(result, "Torch not compiled with CUDA enabled")
        self.assert_reported(result, "residual", "torch.device('cuda')")

    def test_a_missed_cuda_method_of_a_tensor(self):
        result = self.broken("target = target.npu(non_blocking=True)", "target = target.cuda()")
        self.assert_stops(result, "residual", ".cuda()")

    def test_a_missed_cuda_method_of_a_module(self):
        result = self.broken("model = model.to(device)", "model = model.cuda()")
        self.assert_stops(result, "residual", ".cuda()")

    def test_a_stray_synchronize(self):
        result = self.broken("torch.npu.synchronize()", "torch.cuda.synchronize()")
        self.assert_stops(result, "residual", "torch.cuda.synchronize")

    def test_a_keyword_device_that_was_left(self):
        result = self.broken("weights = torch.ones(3, device=device)",
                             "weights = torch.ones(3, device='cuda:0')")
        self.assert_stops(result, "residual", "device 'cuda:0'")

    def test_a_map_location_that_was_left(self):
        result = self.broken(
            "model.load_state_dict(torch.load('model.pt', map_location='npu:0'))",
            "model.load_state_dict(torch.load('model.pt', map_location='cuda'))")
        self.assert_stops(result, "residual", "torch.load to 'cuda'")

    def test_a_pin_memory_device_that_was_left(self):
        result = self.broken("loader = DataLoader(data, batch_size=4, pin_memory=True)",
                             "loader = DataLoader(data, 4, pin_memory=True, pin_memory_device='cuda')")
        self.assert_fails(result)
        self.assert_reported(result, "residual", "pin_memory_device 'cuda'")

    def test_a_generator_that_was_left(self):
        result = self.broken("weights = torch.ones(3, device=device)",
                             "weights = torch.rand(3, generator=torch.Generator(device='cuda'))")
        self.assert_stops(result, "residual", "device 'cuda'")

    def test_an_autocast_that_was_left(self):
        result = self.broken("    with torch.npu.amp.autocast():", "    with torch.autocast('cuda'):")
        self.assert_reported(result, "residual", "autocast('cuda')")

    def test_a_cuda_amp_that_was_left(self):
        result = self.broken("    with torch.npu.amp.autocast():",
                             "    with torch.cuda.amp.autocast():")
        self.assert_reported(result, "residual", "torch.cuda.amp.autocast")

    def test_a_tensor_type_that_was_left(self):
        result = self.broken("weights = torch.ones(3, device=device)",
                             "weights = torch.cuda.FloatTensor([1, 1, 1])")
        self.assert_stops(result, "residual", "torch.cuda.FloatTensor")

    def test_a_tensor_type_as_a_string_that_was_left(self):
        result = self.broken("weights = torch.ones(3, device=device)",
                             "weights = torch.ones(3).type('torch.cuda.FloatTensor')")
        self.assert_fails(result)
        self.assert_reported(result, "residual", "torch.cuda.FloatTensor")

    def test_a_condition_that_silently_takes_the_cpu(self):
        result = self.run_script(TRAINING.replace(
            "device = torch.device('npu:0')",
            "device = torch.device('npu' if torch.cuda.is_available() else 'cpu')").replace(
                ".npu(non_blocking=True)", ".to(device)").replace(
                    "    loss.backward()", "    loss.backward()  # here"))
        self.assert_runs(result)
        event = self.assert_reported(result, "violation", "trained on the CPU only")
        self.assertEqual(event["kind"], "cpu_only")
        self.assertTrue(all(one["harmless"] for one in result.of("residual")))

    def test_a_comparison_with_cuda(self):
        result = self.broken("    x = x.to(device, non_blocking=True)",
                             "    x = x.cuda() if device.type == 'cuda' else x.to(device)")
        self.assert_runs(result)
        self.assert_reported(result, "residual", "comparison of an npu device with 'cuda'")

    def test_a_search_for_cuda_in_the_text_of_a_device(self):
        result = self.broken("    x = x.to(device, non_blocking=True)",
                             "    x = x.cuda() if 'cuda' in str(device) else x.to(device)")
        self.assert_runs(result)
        self.assert_reported(result, "residual", "comparison of an npu device with 'cuda'")

    def test_a_comparison_beside_the_word_input(self):
        result = self.broken("    x = x.to(device, non_blocking=True)",
                             "    input = x; x = input.cuda() if device.type == 'cuda' else input.to(device)")
        self.assert_runs(result)
        self.assert_reported(result, "residual", "comparison of an npu device with 'cuda'")

    def test_a_comparison_that_knows_the_npu_too_is_none(self):
        result = self.broken("    x = x.to(device, non_blocking=True)",
                             "    x = x.npu() if device.type in ('cuda', 'npu') else x")
        self.assert_runs(result)
        self.assertEqual(result.of("residual"), [])

    def test_an_is_cuda_that_was_left(self):
        result = self.broken("    optimizer.zero_grad()", "    assert x.is_cuda")
        self.assert_stops(result, "residual", ".is_cuda")


class WrongPlace(Breakage):
    def test_a_model_that_was_left_on_the_cpu(self):
        self.assertIn("        output = model(x)", TRAINING)
        script = TRAINING.replace("model = model.to(device)\n", "").replace(
            "        output = model(x)", "        output = model(x)  # here")
        result = self.run_script(script)
        self.assert_stops(result, "violation", "two devices, npu:0 and cpu")

    def test_a_target_that_was_left_on_the_cpu(self):
        script = TRAINING.replace("    target = target.npu(non_blocking=True)\n", "").replace(
            "weight=weights)", "weight=weights)  # here")
        result = self.run_script(script)
        self.assert_stops(result, "violation", "two devices, npu:0 and cpu")

    def test_class_weights_on_another_device(self):
        script = TRAINING.replace("torch.ones(3, device=device)", "torch.ones(3)").replace(
            "weight=weights)", "weight=weights)  # here")
        self.assert_stops(self.run_script(script), "violation", "two devices")

    def test_numpy_of_a_tensor_on_the_device(self):
        result = self.broken("    seen.append(output.detach().cpu().numpy())",
                             "    seen.append(output.detach().numpy())")
        self.assert_stops(result, "violation", "can't convert npu:0 device type tensor to numpy")

    def test_a_device_that_does_not_exist(self):
        result = self.broken("device = torch.device('npu:0')",
                             "device = torch.ones(1, device='npu:1').device")
        self.assert_stops(result, "violation", "npu:1 does not exist")

    def test_set_device_of_a_device_that_does_not_exist(self):
        result = self.broken("torch.manual_seed(1)", "torch.npu.set_device(4)")
        self.assert_stops(result, "violation", "npu:4 does not exist")

    def test_a_generator_of_the_cpu_for_a_tensor_of_the_device(self):
        result = self.broken("weights = torch.ones(3, device=device)",
                             "weights = torch.rand(3, device=device, generator=torch.Generator())")
        self.assert_stops(result, "violation", "Expected a 'npu' device type for generator")

    def test_an_index_on_another_device(self):
        result = self.broken("data = TensorDataset(torch.randn(12, 4), torch.randint(0, 3, (12,)))",
                             "torch.ones(3)[torch.tensor([1], device=device)]")
        self.assert_stops(result, "violation", "indices should be either on cpu")


class WrongMixes(simulation.SimulatedTest):
    """The line is refused; the same line with all on the device runs in devices_test.py."""

    def refused(self, line, words="two devices"):
        result = self.run_script("""
            import torch, torch_npu
            import torch.nn.functional as F
            x, host = torch.ones(3).npu(), torch.ones(3)
            bank, places = torch.zeros(8), torch.tensor([0, 1, 2])
            %s  # here
            """ % line)
        self.assert_fails(result)
        self.assert_reported(result, "violation", words)

    def test_values_of_the_device_at_indices_of_a_tensor_of_the_cpu(self):
        self.refused("bank[places] = x")

    def test_indices_of_the_device_for_a_tensor_of_the_cpu(self):
        self.refused("bank[places.npu()] = host", "indices should be either on cpu")

    def test_values_of_the_cpu_at_indices_of_a_tensor_of_the_device(self):
        self.refused("bank.npu()[:, None][places.npu()] = host[:, None]")

    def test_values_of_the_cpu_under_a_mask(self):
        self.refused("x[x > 0] = host")

    def test_a_number_of_the_cpu_in_a_stack(self):
        self.refused("torch.stack([x.sum(), torch.tensor(0.)])")

    def test_a_number_of_the_cpu_in_hstack(self):
        self.refused("torch.hstack([x, torch.tensor(0.)])")

    def test_an_index_of_the_cpu_for_index_select(self):
        self.refused("x.index_select(0, torch.tensor(1))")

    def test_an_index_of_the_cpu_for_gather(self):
        self.refused("x.sum().gather(0, torch.tensor(0))")

    def test_an_index_of_the_cpu_for_an_embedding(self):
        self.refused("F.embedding(torch.tensor(1), x[:, None])")

    def test_a_target_of_the_cpu_for_a_loss(self):
        self.refused("F.mse_loss(x, torch.tensor(1.))")

    def test_a_class_of_the_cpu_for_cross_entropy(self):
        self.refused("F.cross_entropy(x, torch.tensor(1))")

    def test_a_mask_of_the_cpu_in_a_hook(self):
        result = self.run_script("""
            import torch, torch_npu
            mask = torch.ones(3)
            x = torch.ones(3).npu().requires_grad_()
            y = x * 2
            y.register_hook(lambda g: g * mask)  # here
            y.sum().backward()
            """)
        self.assert_fails(result)
        self.assert_reported(result, "violation", "two devices")

    def test_a_mask_of_the_cpu_in_a_hook_of_a_module(self):
        result = self.run_script("""
            import torch, torch_npu
            net = torch.nn.Linear(3, 3).npu()
            mask = torch.ones(1, 3)
            net.register_full_backward_hook(lambda m, i, o: (o[0] * mask,))  # here
            x = torch.ones(1, 3).npu().requires_grad_()
            net(x).sum().backward()
            """)
        self.assert_fails(result)
        self.assert_reported(result, "violation", "two devices")

    def test_a_fresh_tensor_of_the_cpu_in_a_backward_of_its_own(self):
        result = self.run_script("""
            import torch, torch_npu
            class Twice(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
                @staticmethod
                def backward(ctx, g):
                    return g * torch.full((3,), 2.)  # here
            Twice.apply(torch.ones(3).npu().requires_grad_()).sum().backward()
            """)
        self.assert_fails(result)
        self.assert_reported(result, "violation", "two devices")


class WrongNames(Breakage):
    def test_torch_npu_that_was_not_imported(self):
        result = self.run_script(TRAINING.replace("import torch_npu\n", "").replace(
            "device = torch.device('npu:0')", "device = torch.device('npu:0')  # here"))
        self.assert_fails(result, "device type at start of device string: npu")
        self.assert_reported(result, "exception", "npu")

    def test_an_invented_name(self):
        result = self.broken("torch.npu.synchronize()", "torch.npu.synchronise()")
        self.assert_stops(result, "violation", "module 'torch.npu' has no attribute 'synchronise'")

    def test_a_name_of_cuda_that_torch_npu_lacks(self):
        result = self.broken("torch.npu.synchronize()", "torch.npu.nvtx.range_push('x')")
        self.assert_stops(result, "violation", "module 'torch.npu' has no attribute 'nvtx'")

    def test_a_module_that_does_not_exist(self):
        result = self.broken("import torch.nn as nn", "import torch_npu.cuda; import torch.nn as nn")
        self.assert_fails(result)
        self.assert_reported(result, "exception", "torch_npu.cuda")

    def test_a_backend_module_that_does_not_exist(self):
        result = self.broken("torch.manual_seed(1)", "torch.backends.npu.benchmark = True")
        self.assert_fails(result)
        self.assert_reported(result, "exception", "npu")


class WrongBackend(Breakage):
    def test_nccl_that_was_left(self):
        result = self.broken("dist.init_process_group('hccl', store=store, rank=0, world_size=1)",
                             "dist.init_process_group('nccl', store=store, rank=0, world_size=1)",
                             GROUP)
        self.assert_stops(result, "residual", "backend 'nccl'")

    def test_a_backend_that_does_not_exist(self):
        result = self.broken("dist.init_process_group('hccl', store=store, rank=0, world_size=1)",
                             "dist.init_process_group('hcc', store=store, rank=0, world_size=1)",
                             GROUP)
        self.assert_fails(result)
        self.assert_reported(result, "exception", "hcc")

    def test_hccl_with_a_tensor_of_the_cpu(self):
        result = self.broken("dist.all_reduce(total)", "dist.all_reduce(total.cpu())", GROUP)
        self.assert_stops(result, "violation", "all_reduce of backend hccl needs tensors on npu:0")


class Processes(simulation.SimulatedTest):
    def test_a_crash_in_a_thread(self):
        result = self.run_script("""
            import threading
            import torch, torch_npu

            def work():
                torch.ones(2).npu() + torch.ones(2)  # here

            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            """)
        self.assert_runs(result)
        self.assert_reported(result, "violation", "two devices")
        event = self.assert_reported(result, "exception", "two devices")
        self.assertEqual(event["process"], "thread")

    def test_a_crash_in_a_child_that_its_parent_ignores(self):
        result = self.run_process("""
            import torch, torch_npu
            import torch.multiprocessing as mp

            def work(rank):
                torch.ones(2, device='cuda')  # here

            if __name__ == '__main__':
                process = mp.get_context('spawn').Process(target=work, args=(0,))
                process.start()
                process.join()
            """)
        self.assert_runs(result)
        self.assert_reported(result, "residual", "device 'cuda'")
        event = self.assert_reported(result, "exception", "CUDA")
        self.assertEqual(event["process"], "child")

    def test_nccl_in_a_child_of_mp_spawn(self):
        result = self.run_process("""
            import os
            import torch, torch_npu
            import torch.distributed as dist
            import torch.multiprocessing as mp

            def work(rank):
                where = 'file://' + os.path.abspath('meeting')
                dist.init_process_group('nccl', where, rank=rank, world_size=1)  # here

            if __name__ == '__main__':
                try:
                    mp.spawn(work, nprocs=1)
                except Exception:
                    pass
            """)
        self.assert_runs(result)
        self.assert_reported(result, "residual", "backend 'nccl'")
        self.assert_reported(result, "exception", "")

    def test_a_crash_in_a_worker_of_a_data_loader(self):
        result = self.run_script("""
            import torch, torch_npu
            from torch.utils.data import DataLoader, Dataset

            class Broken(Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, index):
                    return torch.cuda.FloatTensor([index])  # here

            try:
                next(iter(DataLoader(Broken(), num_workers=1)))
            except Exception:
                pass
            """)
        self.assert_runs(result)
        self.assert_reported(result, "residual", "torch.cuda.FloatTensor")
        event = self.assert_reported(result, "exception", "")
        self.assertEqual(event["process"], "child")

    def test_an_exit_code_of_a_child(self):
        result = self.run_script("""
            import multiprocessing, sys
            process = multiprocessing.get_context('fork').Process(target=sys.exit, args=(3,))
            process.start()
            process.join()
            """)
        self.assertEqual(sorted(event["code"] for event in result.of("exit")), [0, 3])


if __name__ == "__main__":
    simulation.main()
