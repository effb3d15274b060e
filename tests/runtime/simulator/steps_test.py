#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A run that is to end after some steps of its optimizers."""

import simulation

TRAIN = """
    import torch
    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], 0.1)
    try:
        for step in range(5):
            weight.sum().backward()
            optimizer.step()
            print('step', step)
    finally:
        print('over')
    print('never')
    """


class Steps(simulation.SimulatedTest):
    def test_end_a_run_in_front_of_the_next_one(self):
        for simulate in ("npu", "cuda", "cpu"):
            with self.subTest(simulate):
                result = self.run_process(TRAIN, simulate, steps=2)
                self.assert_runs(result)
                self.assertEqual(result.out.splitlines(), ["step 0", "step 1", "over"])
                self.assertEqual(result.of("steps")[0]["count"], 2)
                self.assertEqual(result.of("exit")[0]["code"], 0)

    def test_leave_the_parameters_in_a_file(self):
        result = self.run_process(TRAIN, steps=2)
        self.assert_runs(result)
        check = "import torch\nprint(torch.load('../project/parameters_after_steps.pt'))\n"
        shown = self.run_process(check, "cpu")
        self.assertIn("{'optimizer 0, group 0': [tensor([0.7000])]}", shown.out, shown.err)

    def test_end_a_script_that_catches_everything(self):
        result = self.run_process(TRAIN.replace("finally:", "except:").replace(
            "print('over')", "optimizer.step()"), steps=1)
        self.assert_runs(result)
        self.assertEqual(result.out.splitlines(), ["step 0"])
        self.assertEqual(len(result.of("exit")), 1)

    def test_of_an_optimizer_of_the_program_count_once(self):
        result = self.run_process("""
            import torch

            class Mine(torch.optim.Adam):
                def step(self, closure=None):
                    return super().step(closure)

            class Alone(torch.optim.Optimizer):
                def step(self, closure=None):
                    pass

            weight = torch.ones(1, requires_grad=True)
            both = [Mine([weight]), Alone([weight], {})]
            for step in range(9):
                for optimizer in both:
                    optimizer.step()
                print(step)
            """, steps=4)
        self.assert_runs(result)
        self.assertEqual(result.out.splitlines(), ["0", "1"])

    def test_that_a_script_does_not_reach_change_nothing(self):
        result = self.run_process(TRAIN, steps=9)
        self.assertEqual(result.out.splitlines()[-1], "never")
        self.assertEqual(result.of("steps"), [])
        self.assertFalse(list((self.folder / "project").glob("*.pt")))

    def test_end_in_front_of_the_next_one_when_time_is_over(self):
        result = self.run_process(TRAIN, end_at=1)
        self.assert_runs(result)
        self.assertEqual(result.out.splitlines(), ["step 0", "over"])
        self.assertEqual([(event["count"], event["late"]) for event in result.of("steps")],
                         [(1, True)])
        self.assertEqual(len(result.of("trains")), 1)

    def test_that_wait_for_each_other_end_at_the_same_one_when_time_is_over(self):
        result = self.run_process("""
            import os
            import sys
            import torch
            import torch.distributed as dist
            import torch_npu

            def work(rank):
                os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='29621')
                torch.npu.set_device(rank)
                dist.init_process_group('hccl', rank=rank, world_size=2)
                weight = torch.ones(1, device='npu:%d' % rank, requires_grad=True)
                optimizer = torch.optim.SGD([weight], 0.1)
                for step in range(1000):
                    weight.sum().backward()
                    dist.all_reduce(weight.grad)
                    optimizer.step()

            if __name__ == '__main__':
                import torch.multiprocessing as mp
                mp.spawn(work, nprocs=2)
            """, end_at=1, devices=2)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual([event["count"] for event in result.of("steps")], [3, 3])

    def test_whose_first_is_long_in_coming_end_the_run_with_large_batches(self):
        train = """
            import time
            import torch
            from torch.utils.data import DataLoader, TensorDataset
            weight = torch.ones(1, requires_grad=True)
            optimizer = torch.optim.SGD([weight], 0.1)
            for numbers, in DataLoader(TensorDataset(torch.ones(8)), %d):
                time.sleep(%d)
                optimizer.step()
                time.sleep(2)
            print('over')
            """
        wanted = {"fake_data": 1, "steps": 9, "first_step": 1, "small_batch": 4}
        for batch, wait, is_slow in ((8, 5, True), (8, 0, False), (4, 2, False)):
            with self.subTest(batch=batch, wait=wait):
                result = self.run_process(train % (batch, wait), **wanted)
                self.assertEqual(result.code, 0)
                self.assertEqual(result.out, "" if is_slow else "over\n")
        self.assertEqual(len(result.of("slow_step")), 1)  # of all three

    def test_without_a_limit_of_time_go_on(self):
        result = self.run_process(TRAIN, end_at=10 ** 11)
        self.assertEqual(result.out.splitlines()[-1], "never")
        self.assertEqual(result.of("steps"), [])


if __name__ == "__main__":
    simulation.main()
