#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Several processes: tensors that travel, groups, and what is reported about each process."""

import shutil
import socket

import simulation


def torchrun(processes):
    """The words of torchrun on this machine. With --standalone it would look up "localhost", which a
    root without /etc/hosts does not know."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return ("-m", "torch.distributed.run", "--nproc_per_node", str(processes), "--master_addr",
            "127.0.0.1", "--master_port", str(port))


class Tensors(simulation.SimulatedTest):
    def test_a_tensor_keeps_its_device_on_its_way_to_a_child(self):
        result = self.run_process("""
            import torch, torch_npu
            import torch.multiprocessing as mp

            def work(rank, model, queue):
                with torch.no_grad():
                    model.weight.fill_(7)
                assert model.weight.device == torch.device('npu:0')
                queue.put(str(model.weight.device))

            if __name__ == '__main__':
                model = torch.nn.Linear(2, 2).npu()
                model.share_memory()
                queue = mp.get_context('spawn').SimpleQueue()
                mp.spawn(work, args=(model, queue), nprocs=1)
                assert queue.get() == 'npu:0' and model.weight.device.type == 'npu'
                assert (model.weight == 7).all()
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("exception"), [])

    def test_a_worker_of_a_loader_gives_tensors_of_the_cpu(self):
        result = self.run_script("""
            import torch, torch_npu
            from torch.utils.data import DataLoader, TensorDataset
            loader = DataLoader(TensorDataset(torch.ones(4, 2)), 2, num_workers=1, pin_memory=True)
            for x, in loader:
                assert x.device.type == 'cpu'
                x.npu() + torch.ones(2).npu()
            """)
        self.assert_runs(result)


class Programs(simulation.SimulatedTest):
    def test_the_size_of_the_terminal_is_known_where_there_is_none(self):
        result = self.run_process("""
            import os, subprocess
            assert os.popen('stty size', 'r').read().split() == ['24', '80']
            assert os.popen('stty size 2>/dev/null').read().split() == ['24', '80']
            assert subprocess.check_output(['stty', 'size']).split() == [b'24', b'80']
            assert subprocess.run(args='echo stty size', shell=True, capture_output=True,
                                  text=True).stdout == 'stty size\\n'
            """)
        self.assert_runs(result)


class Threads(simulation.SimulatedTest):
    def test_a_subclass_that_overrides_run_is_on_the_device(self):
        result = self.run_script("""
            import threading
            import torch, torch_npu
            class Worker(threading.Thread):
                def run(self):
                    x = torch.ones(3).to('npu')
                    self.seen = str((x * 2).device)
            worker = Worker()
            worker.start()
            worker.join()
            assert worker.seen == 'npu:0'
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("exception"), [])

    def test_the_mode_of_a_thread_ends_with_the_thread(self):
        result = self.run_script("""
            import threading
            import torch, torch_npu
            left = []
            bootstrap = threading.Thread._bootstrap_inner
            def look(self):
                bootstrap(self)
                left.append((torch._C._is_torch_function_mode_enabled(),
                             torch._C._len_torch_function_stack()))
            threading.Thread._bootstrap_inner = look
            thread = threading.Thread(target=lambda: torch.ones(2).npu() + 1)
            thread.start()
            thread.join()
            assert left == [(False, 0)], left
            """)
        self.assert_runs(result)


class Groups(simulation.SimulatedTest):
    def test_two_ranks_train_on_two_devices(self):
        result = self.run_process("""
            import os
            import torch, torch_npu
            import torch.distributed as dist
            import torch.multiprocessing as mp
            from torch.nn.parallel import DistributedDataParallel as DDP

            def work(rank):
                torch.npu.set_device(rank)
                dist.init_process_group('hccl', 'file://' + os.path.abspath('meeting'), rank=rank,
                                        world_size=2)
                assert dist.get_backend() == 'hccl' == dist.Backend.HCCL
                device = torch.device('npu', rank)
                model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(
                    torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)))
                net = DDP(model.to(device), device_ids=[rank])
                net(torch.rand(4, 2) + rank).sum().backward()
                gradient = net.module[0].bias.grad
                assert gradient.device == device
                both = [torch.zeros_like(gradient) for _ in range(2)]
                dist.all_gather(both, gradient)
                assert torch.equal(both[0], both[1])
                mean = torch.tensor([float(rank)], device=device)
                dist.all_reduce(mean, op=dist.ReduceOp.AVG)
                assert mean.item() == 0.5
                part = torch.zeros(1, device=device)
                dist.reduce_scatter(part, [torch.ones(1, device=device)] * 2)
                assert part.item() == 2
                objects = [None, None]
                dist.all_gather_object(objects, rank)
                assert objects == [0, 1]
                dist.destroy_process_group()

            if __name__ == '__main__':
                mp.spawn(work, nprocs=torch.npu.device_count())
            """, devices=2)
        self.assert_runs(result)
        self.assertEqual(result.of("violation") + result.of("exception") + result.of("residual"), [])

    def group_on(self, simulate, backend, rank_of_device, head, line, count=2):
        """How `line` ends in two ranks on the devices rank_of_device(rank)."""
        return self.run_process("""
            import os
            import torch
            %s
            import torch.distributed as dist
            import torch.multiprocessing as mp

            def work(rank):
                dist.init_process_group('%s', 'file://' + os.path.abspath('meeting'), rank=rank,
                                        world_size=%d)
                x = torch.ones(2, device=torch.device('%s', %s))
                %s  # here
                dist.destroy_process_group()

            if __name__ == '__main__':
                mp.spawn(work, nprocs=%d)
            """ % (head, backend, count, simulate, rank_of_device, line, count), simulate, devices=2)

    def test_two_ranks_on_one_device_are_refused(self):
        for simulate, backend, head in (("npu", "hccl", "import torch_npu"), ("cuda", "nccl", "")):
            with self.subTest(simulate):
                result = self.group_on(simulate, backend, "0", head, "dist.all_reduce(x)")
                self.assertNotEqual(result.code, 0)
                self.assert_reported(result, "violation", "duplicate device")
                self.doCleanups()
                self.setUp()

    def test_a_model_for_two_ranks_on_one_device_is_refused(self):
        result = self.group_on(
            "npu", "hccl", "0", "import torch_npu",
            "torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).npu())")
        self.assertNotEqual(result.code, 0)
        self.assert_reported(result, "violation", "duplicate device")

    def test_gloo_does_not_take_tensors_of_an_npu(self):
        for line in ("dist.all_reduce(x)",
                     "torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).npu())"):
            result = self.group_on("npu", "gloo", "rank", "import torch_npu", line, count=1)
            self.assertNotEqual(result.code, 0)
            self.assert_reported(result, "violation", "an npu needs hccl")
            self.doCleanups()
            self.setUp()

    def test_gloo_takes_tensors_of_cuda(self):
        result = self.group_on("cuda", "gloo", "rank", "", "dist.all_reduce(x)", count=1)
        self.assert_runs(result)
        self.assertEqual(result.of("violation"), [])

    def test_a_barrier_takes_the_devices_that_it_waits_for(self):
        for simulate, backend, head in (("npu", "hccl", "import torch_npu"), ("cuda", "nccl", "")):
            with self.subTest(simulate):
                result = self.group_on(simulate, backend, "rank", head,
                                       "dist.barrier(device_ids=[rank])", count=1)
                self.assert_runs(result)
                self.doCleanups()
                self.setUp()
        result = self.group_on("npu", "gloo", "rank", "import torch_npu",
                               "dist.barrier(device_ids=[rank])", count=1)
        self.assertNotEqual(result.code, 0)

    def test_a_group_that_is_made_anew_may_use_the_same_device(self):
        result = self.run_script("""
            import torch, torch_npu
            import torch.distributed as dist
            for _ in range(2):
                dist.init_process_group('hccl', store=dist.HashStore(), rank=0, world_size=1)
                dist.all_reduce(torch.ones(1).npu())
                dist.destroy_process_group()
            dist.init_process_group('cpu:gloo,npu:hccl', store=dist.HashStore(), rank=0, world_size=1)
            dist.all_reduce(torch.ones(1))
            dist.all_reduce(torch.ones(1).npu())
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("violation"), [])

    def test_a_destroyed_group_leaves_no_thread(self):
        result = self.run_script("""
            import os
            import torch, torch_npu
            import torch.distributed as dist
            before = len(os.listdir('/proc/self/task'))
            dist.init_process_group('hccl', store=dist.HashStore(), rank=0, world_size=1)
            assert len(os.listdir('/proc/self/task')) > before
            dist.destroy_process_group()
            assert len(os.listdir('/proc/self/task')) == before
            """)
        self.assert_runs(result)

    def test_device_ids_need_parameters_on_a_device(self):
        result = self.run_script("""
            import torch, torch_npu
            import torch.distributed as dist
            dist.init_process_group('hccl', store=dist.HashStore(), rank=0, world_size=1)
            net = torch.nn.Linear(2, 2)
            torch.nn.parallel.DistributedDataParallel(net, device_ids=[0])  # here
            """)
        self.assert_fails(result, "device_ids")
        self.assert_reported(result, "violation", "device_ids")

    def test_torchrun_starts_simulated_processes(self):
        result = self.run_process("""
            import os
            import torch, torch_npu
            import torch.distributed as dist
            torch.npu.set_device(int(os.environ['LOCAL_RANK']))
            dist.init_process_group('hccl')
            x = torch.ones(1).npu()
            dist.all_reduce(x)
            assert x.item() == 2
            dist.destroy_process_group()
            """, arguments=(*torchrun(2), "main.py"), devices=2)
        self.assert_runs(result)
        starts = [event for event in result.of("start") if event["argv"][-1] == "main.py"]
        self.assertEqual(len(starts), 3)

    def test_a_crash_in_one_rank_of_torchrun_is_reported_with_its_place(self):
        result = self.run_process("""
            import os
            import torch, torch_npu
            torch.npu.set_device(int(os.environ['LOCAL_RANK']) + 1)  # here
            """, arguments=(*torchrun(1), "main.py"))
        self.assert_fails(result)
        self.assert_reported(result, "violation", "npu:1 does not exist")


class Work(simulation.SimulatedTest):
    def test_is_counted_for_each_device(self):
        result = self.run_script("""
            import torch, torch_npu
            a = torch.ones(2, device='npu:1', requires_grad=True)
            (a * 2).sum().backward()
            (a * 2).sum().backward()
            b = torch.ones(2, requires_grad=True)
            (b * 2).sum().backward()  # here
            torch.ones(2).npu()
            """, devices=2)
        self.assert_runs(result)
        self.assertEqual([event["index"] for event in result.of("device")], [1, 0])
        idle, device, cpu = result.of("work")
        self.assertEqual((idle["index"], idle["operators"], idle["backwards"]), (0, 0, 0))
        self.assertEqual((device["index"], device["backwards"]), (1, 2))
        self.assertGreaterEqual(device["operators"], 4)
        self.assertEqual((cpu["backwards"], cpu["file"], cpu["line"]), (1, "main.py", self.line()))

    def test_of_a_child_is_its_own(self):
        result = self.run_script("""
            import os
            import torch, torch_npu
            x = torch.ones(2).npu() + 1
            child = os.fork()
            if child == 0:
                x.add(1)
                os._exit(0)
            os.waitpid(child, 0)
            """)
        self.assertEqual([event["operators"] for event in result.of("work")], [1, 1])

    def test_is_the_same_under_both_kinds_of_device(self):
        script = """
            import torch
            %s
            x = torch.randn(4, 3).%s()
            net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).to(x.device)
            torch.nn.functional.mse_loss(net(x), x[:, :2]).backward()
            """
        npu = self.run_script(script % ("import torch_npu", "npu"))
        before = npu.of("work")
        shutil.rmtree(self.folder / "report")
        self.assertEqual(before, self.run_script(script % ("", "cuda"), "cuda").of("work"))
        self.assertEqual(before[0]["backwards"], 1)


class Children(simulation.SimulatedTest):
    def started(self, line, simulate="npu"):
        """`python -c CHILD` started by this line of a script."""
        return self.run_process("""
            import os, subprocess, sys
            CHILD = "import torch, torch_npu; torch.ones(1).npu() + torch.ones(1)"
            %s  # here
            """ % line, simulate)

    def test_run_under_the_simulator_whatever_their_environment(self):
        for line in ("subprocess.run([sys.executable, '-c', CHILD], env={})",
                     "subprocess.run([sys.executable, '-c', CHILD], env={b'PYTHONPATH': b'.'})",
                     "os.environ['PYTHONPATH'] = '.'; subprocess.call([sys.executable, '-c', CHILD])"):
            with self.subTest(line):
                result = self.started(line)
                self.assertEqual(len(result.of("start")), 2, result.err)
                self.assertIn("two devices", str(result.of("violation")))
                self.assertEqual(sorted(event["code"] for event in result.of("exit")), [0, 1])
                self.doCleanups()
                self.setUp()

    def test_of_an_isolated_python_are_told(self):
        for options in ("'-I'", "'-uE'", "'-B', '-S'"):
            result = self.started("subprocess.run([sys.executable, %s, '-c', '1'])" % options)
            self.assert_reported(result, "unsimulated", "a Python that is started with -")
            self.doCleanups()
            self.setUp()

    def test_of_other_programs_are_not(self):
        result = self.started("subprocess.run(['ls', '-I', 'x']); "
                              "subprocess.run([sys.executable, '-c', '1', '-I'])")
        self.assert_runs(result)
        self.assertEqual(result.of("unsimulated"), [])


class Report(simulation.SimulatedTest):
    def test_a_run_has_start_torch_and_exit(self):
        result = self.run_process("""
            import sys
            import torch
            sys.exit(5)
            """)
        self.assertEqual(result.code, 5)
        start, torch_event, end = result.events
        self.assertEqual((start["event"], start["simulate"]), ("start", "npu"))
        self.assertEqual((torch_event["event"], torch_event["supported"]), ("torch", True))
        self.assertEqual((end["event"], end["code"]), ("exit", 5))

    def test_a_killed_process_has_no_exit(self):
        result = self.run_process("""
            import os, signal
            os.kill(os.getpid(), signal.SIGKILL)
            """)
        self.assertEqual([event["event"] for event in result.events], ["start"])

    def test_a_syntax_error_is_reported_with_its_place(self):
        result = self.run_process("""
            import torch
            torch.ones(1  # here
            """)
        self.assert_fails(result)
        self.assert_reported(result, "exception", "")

    def test_an_exception_that_is_caught_is_not_reported(self):
        result = self.run_script("""
            try:
                raise ValueError
            except ValueError:
                pass
            """)
        self.assertEqual(result.of("exception"), [])

    def test_the_innermost_place_in_the_project_is_named(self):
        result = self.run_script("""
            import torch, torch_npu
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = torch.nn.Linear(2, 2)
                def forward(self, x):
                    return self.inner(x)  # here
            Net().npu()(torch.ones(1, 2))
            """)
        self.assert_fails(result)
        self.assert_reported(result, "violation", "two devices")
        self.assert_reported(result, "exception", "two devices")

    def test_a_place_is_reported_once(self):
        result = self.run_script("""
            import torch, torch_npu
            for _ in range(3):
                torch.cuda.is_available()  # here
            """)
        self.assertEqual(len(result.of("residual")), 1)
        self.assertTrue(self.assert_reported(result, "residual", "is_available")["harmless"])

    def test_what_torch_itself_asks_is_no_residual(self):
        result = self.run_script("""
            import torch, torch_npu
            from torch.utils.data import DataLoader
            torch.manual_seed(1)
            list(DataLoader([1, 2], pin_memory=True))
            torch.nn.Linear(2, 2).npu()
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("residual"), [])

    def test_the_shadowed_sitecustomize_still_runs(self):
        (self.folder / "project").mkdir()
        (self.folder / "project" / "sitecustomize.py").write_text("import builtins\nbuiltins.ran = 1\n")
        result = self.run_process("""
            import os, subprocess, sys
            if len(sys.argv) == 1:
                path = os.environ['PYTHONPATH'] + os.pathsep + os.getcwd()
                sys.exit(subprocess.call([sys.executable, 'main.py', 'again'],
                                         env=dict(os.environ, PYTHONPATH=path)))
            assert ran == 1
            """)
        self.assert_runs(result)


if __name__ == "__main__":
    simulation.main()
