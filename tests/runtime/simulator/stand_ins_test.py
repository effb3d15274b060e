#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packages that are not installed and that no result depends on have stand-ins, which are reported."""

import importlib.util
import unittest

import simulation


def is_installed(name):
    return importlib.util.find_spec(name) is not None


class Tensorboard(simulation.SimulatedTest):
    @unittest.skipIf(is_installed("tensorboard"), "the real one is installed")
    def test_has_a_stand_in_whose_folder_exists(self):
        for simulate in ("npu", "cuda", "cpu"):
            with self.subTest(simulate):
                result = self.run_script("""
                    import os
                    from torch.utils.tensorboard import SummaryWriter  # here
                    with SummaryWriter('logs/a') as writer:
                        writer.add_scalar('loss', 1.0, 3)
                        writer.add_images('x', None)
                        writer.file_writer.event_writer.flush()
                    assert os.path.isdir(writer.log_dir) and writer.get_logdir() == 'logs/a'
                    SummaryWriter().close()
                    """, simulate)
                self.assert_runs(result)
                self.assert_reported(result, "stand_in", "tensorboard")

    @unittest.skipIf(is_installed("tensorboardX"), "the real one is installed")
    def test_has_a_stand_in_under_its_other_name(self):
        result = self.run_script("""
            import tensorboardX  # here
            tensorboardX.SummaryWriter(logdir='logs').add_scalars('x', {})
            """)
        self.assert_runs(result)
        self.assert_reported(result, "stand_in", "tensorboardX")

    @unittest.skipIf(is_installed("tensorboard_logger"), "the real one is installed")
    def test_has_a_stand_in_that_logs_values(self):
        result = self.run_script("""
            import os
            import tensorboard_logger as log  # here
            log.configure('runs/a', flush_secs=5)
            log.log_value('loss', 1.0, 3)
            log.Logger(logdir='runs/b', flush_secs=2).log_value('loss', 1.0, 3)
            assert os.path.isdir('runs/a') and os.path.isdir('runs/b')
            """)
        self.assert_runs(result)
        self.assert_reported(result, "stand_in", "tensorboard_logger")

    @unittest.skipIf(is_installed("tensorboard"), "the real one is installed")
    def test_a_program_that_can_do_without_it_does(self):
        result = self.run_script("""
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                SummaryWriter = None
            assert SummaryWriter is None
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("stand_in"), [])

    def test_a_package_of_the_project_with_its_name_wins(self):
        self._write("")
        (self.folder / "project" / "tensorboardX.py").write_text("mine = True\n")
        result = self.run_script("import tensorboardX\nassert tensorboardX.mine\n")
        self.assert_runs(result)
        self.assertEqual(result.of("stand_in"), [])


@unittest.skipIf(is_installed("apex"), "the real one is installed")
class Apex(simulation.SimulatedTest):
    def test_trains_as_without_it(self):
        result = self.run_script("""
            import torch, torch_npu
            from apex import amp  # here
            model = torch.nn.Linear(2, 2).npu()
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            model, optimizer = amp.initialize(model, optimizer, opt_level="O2", loss_scale=1024.0,
                                              combine_grad=True)
            with amp.scale_loss(model(torch.ones(1, 2).npu()).sum(), optimizer) as scaled:
                scaled.backward()
            torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
            optimizer.step()
            amp.load_state_dict(amp.state_dict())
            """)
        self.assert_runs(result)
        self.assert_reported(result, "stand_in", "apex")
        self.assertIn("apex.amp", result.of("unsimulated")[0]["what"])

    def test_of_cuda_has_the_fused_optimizers_of_cuda(self):
        script = """
            from apex.optimizers import Fused%s
            from apex.parallel import DistributedDataParallel, convert_syncbn_model
            import torch
            Fused%s([torch.ones(1, requires_grad=True)], lr=0.1)
            """
        self.assert_runs(self.run_script(script % ("Adam", "Adam"), "cuda"))
        self.assert_fails(self.run_script(script % ("Adam", "Adam"), "npu"), "FusedAdam")

    def test_refuses_a_model_on_the_cpu(self):
        result = self.run_script("""
            import torch, torch_npu
            from apex import amp
            amp.initialize(torch.nn.Linear(2, 2))  # here
            """)
        self.assert_fails(result, "is on the CPU")
        self.assert_reported(result, "violation", "is on the CPU")

    def test_is_missing_where_the_program_says_what_to_do_without_it(self):
        result = self.run_script("""
            try:
                import apex
                from apex import amp
            except (ImportError, AttributeError):
                amp = None
            assert amp is None
            """)
        self.assert_runs(result)


if __name__ == "__main__":
    simulation.main()
