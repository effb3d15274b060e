#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The original under a simulated CUDA device, and without any device."""

import simulation


class Cuda(simulation.SimulatedTest):
    def test_cuda_is_there(self):
        result = self.run_script("""
            import torch
            from torch.cuda.amp import GradScaler, autocast
            assert torch.cuda.is_available() and torch.cuda.device_count() == 1
            assert torch.cuda.get_device_capability() >= (7, 0)
            assert torch.cuda.get_device_properties(0).multi_processor_count
            torch.cuda.nvtx.range_push('x')
            torch.cuda.nvtx.range_pop()
            torch.cuda.manual_seed_all(1)
            torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())
            torch.backends.cudnn.benchmark = True
            with autocast():
                GradScaler()
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            """, "cuda")
        self.assert_runs(result)
        self.assertEqual(result.of("residual"), [])

    def test_mixed_devices_fail_as_on_a_gpu(self):
        result = self.run_script("""
            import torch
            torch.ones(2).cuda() + torch.ones(2)  # here
            """, "cuda")
        self.assert_fails(result, "at least two devices, cuda:0 and cpu")
        self.assert_reported(result, "violation", "two devices")

    def test_a_function_mode_of_the_program_sees_calls_and_devices_stay_right(self):
        result = self.run_script("""
            import torch
            from torch.overrides import TorchFunctionMode
            seen = []

            class Seeing(TorchFunctionMode):
                def __torch_function__(self, function, types, args=(), kwargs=None):
                    seen.append(function)
                    return function(*args, **(kwargs or {}))

            x = torch.ones(2, device='cuda', requires_grad=True)
            with Seeing():
                y = torch.nn.functional.gelu(torch.add(x, 1))
                y.sum().backward()
            assert torch.add in seen and torch.nn.functional.gelu in seen, seen
            count = len(seen)
            z = y * 2
            assert len(seen) == count
            assert y.is_cuda and z.is_cuda and x.grad.is_cuda
            """, "cuda")
        self.assert_runs(result)

    def test_nccl_runs_and_keeps_its_name(self):
        result = self.run_script("""
            import torch
            import torch.distributed as dist
            assert dist.is_nccl_available()
            dist.init_process_group('nccl', store=dist.HashStore(), rank=0, world_size=1)
            total = torch.ones(2).cuda()
            dist.all_reduce(total)
            dist.barrier()
            assert dist.get_backend() == 'nccl' and total.tolist() == [1, 1]
            net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).cuda(), device_ids=[0])
            net(torch.ones(1, 2).cuda()).sum().backward()
            assert net.module.weight.grad.device.type == 'cuda'
            """, "cuda")
        self.assert_runs(result)

    def test_the_profiler_of_torch_runs(self):
        result = self.run_script("""
            import torch
            from torch.profiler import ProfilerActivity, profile
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
                torch.ones(2).cuda() + 1
            assert prof.key_averages()
            with torch.autograd.profiler.profile(use_cuda=True):
                torch.ones(2).cuda() + 1
            """, "cuda")
        self.assert_runs(result)

    def test_training_on_the_cpu_alone_is_noted(self):
        result = self.run_script("""
            import torch
            torch.ones(2, requires_grad=True).sum().backward()  # here
            """, "cuda")
        self.assert_runs(result)
        self.assertEqual(self.assert_reported(result, "note", "CPU only")["kind"], "cpu_only")
        self.assertEqual(result.of("violation"), [])


class Cpu(simulation.SimulatedTest):
    def test_without_a_simulated_device_there_is_none(self):
        result = self.run_script("""
            import torch
            assert not torch.cuda.is_available() and torch.ones(1).device.type == 'cpu'
            try:
                torch.ones(1).cuda()
            except AssertionError:
                pass
            else:
                raise RuntimeError
            """, "cpu")
        self.assert_runs(result)

    def test_unset_the_simulator_does_nothing(self):
        result = self.run_process("""
            import sys, torch
            assert 'transplt_simulator' not in sys.modules
            """, "")
        self.assert_runs(result)
        self.assertEqual(result.events, [])

    def test_seeds_are_set_in_each_process(self):
        script = """
            import random
            import numpy
            import torch
            print(random.random(), numpy.random.rand(), torch.rand(1).item())
            """
        first = self.run_process(script, "cpu", seed=3)
        second = self.run_process(script, "cpu", seed=3)
        other = self.run_process(script, "cpu", seed=4)
        self.assert_runs(first)
        self.assertEqual(first.out, second.out)
        self.assertNotEqual(first.out, other.out)


if __name__ == "__main__":
    simulation.main()
