#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""torch_npu and torch.npu have the names of the chosen version of torch_npu, and no others."""

import json

import simulation

NAMES = simulation.ROOT / "rules" / "torch_npu_names.json"


class Names(simulation.SimulatedTest):
    def names_of(self, version):
        result = self.run_script("""
            import json, sys, torch, torch_npu
            found = {}
            for name, module in list(sys.modules.items()):
                if name == 'torch.npu' or name.startswith('torch.npu.') or name == 'torch_npu.profiler':
                    found[name] = sorted(n for n in vars(module) if not n.startswith('__')
                                         and n != '_shown')
            print(json.dumps(found))
            """, torch_npu=version)
        self.assert_runs(result)
        return json.loads(result.out)

    def test_are_there_without_an_import_from_torch_2_5_on(self):
        script = "import torch\nprint(torch.ones(1, device='npu').is_npu)\n"
        self.assert_runs(self.run_script(script, torch_npu="2.5.1"))
        self.assert_fails(self.run_script(script, torch_npu="2.4.0"))
        off = "import os\nos.environ['TORCH_DEVICE_BACKEND_AUTOLOAD'] = '0'\n" + script
        self.assert_fails(self.run_process(off, torch_npu="2.5.1"))

    def test_the_module_is_not_found_where_there_is_no_npu(self):
        script = """
            import importlib.util, torch
            print(importlib.util.find_spec('torch_npu') is not None)
            try:
                import torch_npu
            except ModuleNotFoundError as error:
                print(error.name)
            """
        for kind, answer in (("npu", "True\n"), ("cuda", "False\ntorch_npu\n"),
                             ("cpu", "False\ntorch_npu\n")):
            with self.subTest(kind=kind):
                result = self.run_script(script, simulate=kind)
                self.assert_runs(result)
                self.assertEqual(result.out, answer)

    def test_of_the_backend_are_those_of_torch_distributed(self):
        result = self.run_script("""
            import torch.distributed as dist
            assert not hasattr(dist, 'is_hccl_available')
            import torch_npu
            assert dist.is_hccl_available() and dist.Backend.HCCL == 'hccl'
            """, torch_npu="2.1.0")
        self.assert_runs(result)

    def test_each_version_has_exactly_its_names(self):
        table = json.loads(NAMES.read_text())
        for version in ("1.11", "2.1", "2.6"):
            found = self.names_of(version + ".0")
            for module, names in table[version].items():
                if module.startswith("torch.npu") or module == "torch_npu.profiler":
                    with self.subTest(version=version, module=module):
                        self.assertEqual(found[module], sorted(names))

    def test_a_version_between_two_of_the_table_has_the_older_names(self):
        self.assertEqual(self.names_of("2.4.0"), self.names_of("2.1.0"))

    def test_a_name_that_a_script_only_asks_for_is_no_violation(self):
        result = self.run_script("""
            import torch, torch_npu
            assert not hasattr(torch.npu, 'no_such_name')
            assert getattr(torch.npu, 'OutOfMemoryError', RuntimeError) is RuntimeError
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("violation"), [])

    def test_modules_can_be_imported_in_each_spelling(self):
        result = self.run_script("""
            import torch
            import torch_npu
            import torch_npu.npu
            import torch_npu.npu.amp as first
            from torch_npu.npu.amp import GradScaler, autocast
            from torch_npu.npu import amp
            from torch.npu.amp import autocast as third
            from torch_npu.profiler import ProfilerActivity, profile
            from torch_npu.contrib import transfer_to_npu
            from torch_npu.optim import NpuFusedAdam
            assert torch.npu is torch_npu.npu and first is amp is torch.npu.amp
            assert autocast is third and ProfilerActivity.NPU
            """)
        self.assert_runs(result)

    def test_the_profiler_of_autograd_takes_the_names_of_its_version(self):
        script = """
            import torch, torch_npu
            for value in (%s):
                with torch.autograd.profiler.profile(%s=value) as seen:
                    torch.ones(2).npu() + 1
                assert seen.key_averages().table(sort_by="%s_time_total")
            """
        for version, values, keyword, word in (("1.11.0", "True, False", "use_npu", "npu"),
                                               ("2.1.0", "'npu', None", "use_device", "privateuse1"),
                                               ("2.6.0", "'npu', None", "use_device", "device")):
            with self.subTest(version):
                result = self.run_script(script % (values, keyword, word), torch_npu=version)
                self.assert_runs(result)
                self.assertEqual(result.of("violation") + result.of("residual"), [])

    def test_the_profiler_of_autograd_that_is_told_of_cuda_is_reported(self):
        result = self.run_script("""
            import torch, torch_npu
            torch.autograd.profiler.profile(use_cuda=True)  # here
            """)
        self.assert_reported(result, "residual", "use_cuda")

    def test_without_the_import_there_is_no_npu(self):
        result = self.run_script("""
            import torch
            assert not hasattr(torch, 'npu') and not hasattr(torch.Tensor, 'npu')
            for wrong in (lambda: torch.device('npu'), lambda: torch.ones(1, device='npu'),
                          lambda: torch.ones(1).to('npu:0')):
                try:
                    wrong()
                except RuntimeError as error:
                    assert 'device string' in str(error), error
                else:
                    raise AssertionError
            """)
        self.assert_runs(result)

    def test_the_folder_and_the_version_of_cann_can_be_asked_for(self):
        script = """
            import os, torch, torch_npu
            assert os.environ["ASCEND_HOME_PATH"]
            assert isinstance(torch.version.cann, str)
            """
        self.assert_runs(self.run_script(script))
        self.assertNotEqual(self.run_script(script.replace(", torch_npu", ""), "cuda").code, 0)

    def test_an_original_has_no_torch_npu(self):
        result = self.run_script("""
            try:
                import torch_npu
            except ModuleNotFoundError as error:
                assert error.name == 'torch_npu'
            else:
                raise AssertionError
            """, "cuda")
        self.assert_runs(result)

    def test_what_exists_but_is_not_simulated_says_so(self):
        result = self.run_script("""
            import torch, torch_npu
            torch.npu.set_aoe('x')  # here
            """)
        self.assert_runs(result)
        self.assert_reported(result, "unsimulated", "torch.npu.set_aoe")

    def test_a_kernel_of_torch_npu_cannot_run(self):
        result = self.run_script("""
            import torch, torch_npu
            torch_npu.npu_rms_norm(torch.ones(2).npu())  # here
            """)
        self.assert_fails(result, "torch_npu.npu_rms_norm is not simulated")
        self.assert_reported(result, "unsimulated", "torch_npu.npu_rms_norm")

    def test_the_profiler_accepts_what_scripts_say(self):
        result = self.run_script("""
            import torch, torch_npu
            from torch_npu.profiler import ProfilerActivity
            ready = []
            with torch_npu.profiler.profile(
                    activities=[ProfilerActivity.CPU, ProfilerActivity.NPU], record_shapes=True,
                    schedule=torch_npu.profiler.schedule(wait=0, warmup=0, active=1, repeat=1),
                    on_trace_ready=ready.append) as prof:
                prof.step()
            assert ready
            """)
        self.assert_runs(result)

    def test_transfer_to_npu_takes_cuda_for_npu(self):
        result = self.run_script("""
            import torch
            import torch_npu
            from torch_npu.contrib import transfer_to_npu
            device = torch.device('cuda:0')
            assert device.type == 'npu'
            x = torch.ones(2).cuda()
            assert x.is_cuda and x.is_npu and torch.cuda.is_available()
            assert (x + torch.ones(2, device='cuda')).device == device
            assert torch.nn.Linear(2, 2).cuda().weight.device == device
            with torch.cuda.amp.autocast():
                torch.cuda.synchronize()
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("residual"), [])


if __name__ == "__main__":
    simulation.main()
