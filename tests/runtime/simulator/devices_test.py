#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where tensors are: each script asserts what it says about devices, under both kinds of device."""

import textwrap

import simulation


class Devices(simulation.SimulatedTest):
    def passes(self, script, **settings):
        """The script runs under both; DEVICE is the type, `place(x)` moves a tensor or module."""
        for simulate in ("npu", "cuda"):
            head = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
            if simulate == "npu":
                head += "import torch_npu\n"
            head += "DEVICE = '%s'\nHERE = torch.device(DEVICE, 0)\n" % simulate
            head += "def place(x): return x.%s()\n" % simulate
            head += "def is_there(x): return x.is_%s\n" % simulate
            with self.subTest(simulate):
                result = self.run_script(head + textwrap.dedent(script), simulate, **settings)
                self.assert_runs(result)
                self.assertEqual(result.of("violation") + result.of("exception"), [])

    def test_a_device_has_type_index_and_text(self):
        self.passes("""
            plain, first = torch.device(DEVICE), torch.device(DEVICE + ':0')
            assert plain.type == DEVICE and plain.index is None and str(plain) == DEVICE
            assert first.index == 0 and str(first) == DEVICE + ':0' == f'{first}' == '%s' % first
            assert repr(first) == "device(type='%s', index=0)" % DEVICE
            assert first == torch.device(DEVICE, 0) != plain and first != DEVICE + ':0'
            assert isinstance(first, torch.device) and isinstance(torch.device('cpu'), torch.device)
            assert {first: 1}[torch.device(DEVICE, 0)] == 1
            assert torch.device(first) == first and torch.device(type=DEVICE, index=0) == first
            """)

    def test_a_device_may_be_given_by_name(self):
        self.passes("""
            module = getattr(torch, DEVICE)
            module.set_device(device=HERE)
            module.synchronize(device=0)
            with module.device(device=0):
                assert module.memory_allocated(device=HERE) == module.memory_reserved(device=0) == 0
            assert module.mem_get_info(device=0)[1] == module.get_device_properties(HERE).total_memory
            assert module.current_stream(device=0) == module.current_stream()
            assert module.memory_stats(device=0)["x"] == 0 and module.memory_summary(device=0)
            module.set_rng_state(module.get_rng_state(device=HERE), device=HERE)
            module.get_device_capability(device=0)
            """)

    def test_an_index_of_the_cpu_may_stand_among_slices(self):
        self.passes("""
            table, rows = torch.zeros(4, 2, device=HERE), torch.tensor([3, 0])
            assert is_there(table[rows]) and is_there(table[rows, :])
            assert is_there(table[rows, place(torch.tensor([0, 1]))])
            """)

    def test_a_device_survives_pickle_and_copy(self):
        self.passes("""
            import copy, pickle
            for one in (HERE, torch.device(DEVICE)):
                assert pickle.loads(pickle.dumps(one)) == one
                assert copy.deepcopy(one) == copy.copy(one) == one
            """)

    def test_a_device_is_written_as_one_of_torch(self):
        self.passes("""
            import yaml
            assert yaml.dump({"place": torch.device(DEVICE)}) == (
                "place: !!python/object/apply:torch.device\\n- %s\\n" % DEVICE)
            assert torch.device.__name__ == "device"
            """)

    def test_results_are_where_their_arguments_are(self):
        self.passes("""
            x = place(torch.ones(2, 3))
            for y in (x + 1, 1 - x, x @ x.t(), x[0], x[:, None], x.sum(), x.view(-1), F.relu(x), x.T,
                      torch.cat([x, x]), torch.zeros_like(x), x.new_zeros(2), x.max(1).values,
                      x.float(), x.double(), x.clone(), x.detach(), x.data, x > 0, torch.tensor(x),
                      list(x)[0], x.chunk(2)[1], torch.max(x, 0)[1], x.new_tensor([1])):
                assert y.device == HERE and is_there(y), y
            x += 1
            x.mul_(2)
            assert x.device == HERE and x.get_device() == 0
            assert torch.ones(2).device.type == 'cpu' and not is_there(torch.ones(2))
            """)

    def test_a_variable_is_where_its_tensor_is(self):
        self.passes("""
            from torch.autograd import Variable
            x = place(torch.ones(2))
            for y in (Variable(x), torch.autograd.Variable(x, requires_grad=True), Variable(data=x),
                      torch.Tensor(x)):
                assert y.device == HERE and y is not x and y.data_ptr() == x.data_ptr(), y
            weight = Variable(x, requires_grad=True)
            (weight * x).sum().backward()
            assert weight.is_leaf and weight.grad.device == HERE and not Variable(weight).requires_grad
            assert isinstance(x, Variable)
            assert Variable(torch.ones(2)).device.type == 'cpu' == torch.Tensor([1.]).device.type
            assert torch.Tensor(torch.ones(2)).device.type == 'cpu' == torch.Tensor(2, 3).device.type
            """)

    def test_factories_take_a_device(self):
        self.passes("""
            for device in (HERE, DEVICE, DEVICE + ':0', torch.device(DEVICE)):
                for made in (torch.zeros(2, device=device), torch.tensor([1.], device=device),
                             torch.arange(3, device=device), torch.randn(2, device=device),
                             torch.full((2,), 1, device=device), torch.as_tensor([1], device=device),
                             torch.ones(2).new_zeros(3, device=device),
                             torch.zeros_like(torch.ones(2), device=device)):
                    assert made.device == HERE, made
            assert torch.zeros_like(place(torch.ones(2)), device='cpu').device.type == 'cpu'
            """)

    def test_to_moves_and_copies(self):
        self.passes("""
            host = torch.zeros(2)
            there = host.to(HERE)
            there += 1
            assert host.tolist() == [0, 0] and there.cpu().tolist() == [1, 1]
            assert there.to(HERE) is there and host.to('cpu') is host and there.to(DEVICE) is there
            both = host.to(HERE, torch.float64)
            assert both.device == HERE and both.dtype == torch.float64
            assert host.to(there).device == HERE and there.to(host).device.type == 'cpu'
            assert there.to(torch.int64).device == HERE and there.to('cpu', torch.half).dtype == torch.half
            assert host.to(device=HERE, dtype=torch.int32, non_blocking=True).dtype == torch.int32
            assert host.type_as(there).device == HERE and there.cpu().device.type == 'cpu'
            shared = torch.as_tensor(host, device=HERE)
            shared += 1
            assert host.tolist() == [0, 0]
            """)

    def test_copies_between_devices_stay_where_they_are(self):
        self.passes("""
            host, there = torch.zeros(2), place(torch.ones(2))
            host.copy_(there)
            assert host.device.type == 'cpu' and host.tolist() == [1, 1]
            there.copy_(torch.zeros(2))
            assert there.device == HERE
            there[0] = torch.tensor(5.)
            host[:] = there
            assert host.device.type == 'cpu' and host[0] == 5
            assert host.view_as(there).device.type == 'cpu'
            """)

    def test_numbers_of_the_cpu_may_join(self):
        self.passes("""
            x = place(torch.ones(2))
            assert (x * torch.tensor(2.)).device == HERE
            """)

    def test_numbers_of_the_cpu_may_stand_for_ints_and_floats(self):
        self.passes("""
            x, n, one = place(torch.ones(4, 4)), torch.tensor(2), torch.tensor(1.)
            for y in (x.narrow(0, n, 1), x.view(n, 8), x.repeat(n, 1), x.topk(n).values, x.clamp(max=one),
                      torch.where(x > 0, x, one), x.masked_fill(x > 0, one), x.add_(one), 1 - one * x,
                      torch.max(x, one), torch.add(x, one), F.pad(x, (n, 0)), x.pow(n), x[n], x ** n,
                      F.mse_loss(x.mean(), one), torch.addcmul(x, x, one), x.split(n)[0], one / x,
                      x.unsqueeze(torch.tensor(0)), x.expand(n, 4, 4), x.lerp(x, one)):
                assert y.device == HERE, y
            """)

    def test_indices_of_the_cpu_select_and_set(self):
        self.passes("""
            x, places = place(torch.zeros(4)), torch.tensor([0, 1])
            assert x[places].device == HERE
            x[places] = place(torch.ones(2))
            x[places] = torch.tensor(3.)
            x[[2, 3]] = 4.
            x[torch.tensor(0)] = torch.tensor(9.)
            x[1:3] = torch.ones(2)
            x[..., None][0] = torch.ones(1)
            x[x > 5] = 0
            x.index_put_((places,), place(torch.ones(2)))
            assert x.tolist() == [1, 1, 1, 4] and x.device == HERE
            host = torch.zeros(4)
            host[:2] = x[:2]
            host[place(torch.tensor(2))] = x[2]
            assert host.tolist() == [1, 1, 1, 0] and host.device.type == 'cpu'
            """)

    def test_a_number_on_the_device_does_not_place_a_new_tensor(self):
        self.passes("""
            n = place(torch.tensor(3))
            for made in (torch.arange(n), torch.zeros(n), torch.full((2,), n), torch.randperm(n)):
                assert made.device.type == 'cpu', made
            assert torch.arange(n, device=DEVICE).device == HERE
            assert torch.normal(place(torch.ones(2)), place(torch.ones(2))).device == HERE
            """)

    def test_lengths_of_ctc_loss_and_indices_of_tensor_split_are_on_the_cpu(self):
        self.passes("""
            x, target = place(torch.ones(2, 1, 3)).log_softmax(2), place(torch.tensor([[1]]))
            lengths = torch.tensor([2]), torch.tensor([1])
            assert F.ctc_loss(x, target, *lengths).device == HERE
            assert F.ctc_loss(x, target, input_lengths=lengths[0], target_lengths=lengths[1]) > 0
            assert nn.CTCLoss()(x, target, *lengths).device == HERE
            assert x.tensor_split(torch.tensor([1]))[0].device == HERE
            """)

    def test_as_tensor_on_the_cpu_leaves_the_tensor_where_it_is(self):
        self.passes("""
            x = place(torch.ones(2))
            host = torch.as_tensor(x, device='cpu')
            assert x.device == HERE and host.device.type == 'cpu' and host.numpy().sum() == 2
            assert torch.as_tensor(x, device=HERE) is x
            assert torch.as_tensor(x, dtype=torch.int64, device='cpu').dtype == torch.int64
            """)

    def test_a_loader_keeps_what_stands_behind_pin_memory(self):
        self.passes("""
            from torch.utils.data import DataLoader
            assert len(DataLoader(list(range(10)), 4, False, None, None, 0, None, True, True)) == 2
            assert len(DataLoader(list(range(10)), 4, False, None, None, 0, None, True)) == 3
            """)

    def test_hooks_and_functions_of_a_script_see_gradients_on_the_device(self):
        self.passes("""
            from torch.utils.checkpoint import checkpoint
            class Twice(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, scale):
                    y = x * scale
                    ctx.save_for_backward(x, y, torch.ones(3))
                    return y
                @staticmethod
                def backward(ctx, g):
                    x, y, host = ctx.saved_tensors
                    assert x.device == y.device == g.device == HERE and host.device.type == 'cpu'
                    return g * y * place(host) + x.new_zeros(3) + torch.zeros(3, device=g.device), None
            seen = []
            x = place(torch.ones(3)).requires_grad_()
            y = Twice.apply(x, 2)
            y.register_hook(lambda g: seen.append(g.device))
            checkpoint(lambda v: Twice.apply(v, 2), y).sum().backward()
            net = place(nn.Linear(3, 3))
            net.register_full_backward_hook(lambda m, i, o: seen.extend(g.device for g in (*i, *o)))
            net(place(torch.ones(1, 3)).requires_grad_()).sum().backward()
            assert seen == [HERE] * 3, seen
            """)

    def test_gradients_of_the_older_hooks_of_modules_stay_where_they_are(self):
        self.passes("""
            import warnings
            warnings.simplefilter("ignore")
            seen, kept = [], {}
            def keep(module, inputs, outputs):
                seen.extend(g.device for g in (*inputs, *outputs) if g is not None)
                kept[module] = outputs[0].data
            net = place(nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2)))
            for part in net:
                part.register_backward_hook(keep)
            hook = nn.modules.module.register_module_backward_hook(keep)
            handle = net[0].register_backward_hook(hook=lambda *_: None)
            net(place(torch.ones(1, 3))).sum().backward()
            hook.remove(), handle.remove()
            assert seen and set(seen) == {HERE}, seen
            for part in net:  # behind the backward pass, too
                assert kept[part].device == HERE, kept[part].device
                kept[part] @ place(torch.ones(kept[part].shape[1], 2))
            """)

    def test_a_function_whose_result_is_on_the_cpu_gets_gradients_of_the_cpu(self):
        self.passes("""
            class Down(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x.cpu()
                @staticmethod
                def backward(ctx, g):
                    assert g.device.type == 'cpu'
                    return place(g * torch.ones(3))
            x = place(torch.ones(3)).requires_grad_()
            place(Down.apply(x) * torch.ones(3)).sum().backward()
            assert x.grad.device == HERE
            """)

    def test_tensors_made_of_numbers_on_the_device_are_on_the_cpu(self):
        self.passes("""
            x = place(torch.ones(2))
            assert torch.tensor([x[0], x[1]]).device.type == 'cpu'
            """)

    def test_modules_move_with_parameters_buffers_and_gradients(self):
        self.passes("""
            for net in (place(nn.BatchNorm1d(3)), nn.BatchNorm1d(3).to(HERE),
                        nn.BatchNorm1d(3).to(device=DEVICE)):
                assert {t.device for t in [*net.parameters(), *net.buffers()]} == {HERE}
                assert all(isinstance(p, nn.Parameter) for p in net.parameters())
                net(torch.ones(2, 3, device=HERE)).sum().backward()
                assert net.weight.grad.device == HERE
                net.cpu()
                assert net.weight.device.type == net.weight.grad.device.type == 'cpu'
            made = nn.Linear(2, 2, device=HERE)
            assert made.weight.device == HERE and made(torch.ones(1, 2, device=HERE)).device == HERE
            """)

    def test_copies_of_modules_stay_on_the_device(self):
        self.passes("""
            import copy
            net = copy.deepcopy(place(nn.Linear(2, 2)))
            assert net.weight.device == HERE
            assert nn.Parameter(place(torch.ones(2))).device == HERE
            """)

    def test_the_state_of_an_optimizer_is_on_the_device(self):
        self.passes("""
            net = place(nn.Linear(2, 2))
            for kind in (torch.optim.Adam, torch.optim.AdamW):
                optimizer = kind(net.parameters())
                net(torch.ones(1, 2, device=HERE)).sum().backward()
                optimizer.step()
                moments = [s['exp_avg'] for s in optimizer.state.values()]
                assert {m.device for m in moments} == {HERE}
                optimizer.load_state_dict(optimizer.state_dict())
            """)

    def test_functions_and_hooks_of_backward_see_the_device(self):
        self.passes("""
            seen = []
            class Double(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    seen.append(x.device)
                    ctx.save_for_backward(x)
                    return x * 2
                @staticmethod
                def backward(ctx, gradient):
                    x, = ctx.saved_tensors
                    seen.append(gradient.device)
                    seen.append(x.device)
                    return gradient * torch.full_like(x, 2) + torch.zeros(1, device=gradient.device)
            x = place(torch.ones(2)).requires_grad_()
            y = Double.apply(x)
            assert y.device == HERE
            y.register_hook(lambda gradient: seen.append(gradient.device))
            y.sum().backward()
            assert len(seen) == 4 and set(seen) == {HERE}, seen
            assert x.grad.tolist() == [2, 2]
            gradient, = torch.autograd.grad((x * x).sum(), x)
            assert gradient.device == HERE
            """)

    def test_checkpointing_runs_again_on_the_device(self):
        self.passes("""
            from torch.utils.checkpoint import checkpoint
            net = place(nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5)))
            x = torch.ones(4, 2, device=HERE, requires_grad=True)
            y = checkpoint(net, x)
            assert y.device == HERE
            y.sum().backward()
            assert net[0].weight.grad.device == HERE
            """)

    def test_packed_sequences_have_their_lengths_on_the_cpu(self):
        self.passes("""
            from torch.nn.utils import rnn
            lstm = place(nn.LSTM(2, 3))
            x = torch.ones(4, 2, 2, device=HERE)
            packed = rnn.pack_padded_sequence(x, torch.tensor([4, 2]))
            assert packed.data.device == HERE and packed.batch_sizes.device.type == 'cpu'
            out, lengths = rnn.pad_packed_sequence(lstm(packed)[0])
            assert out.device == HERE and lengths.device.type == 'cpu'
            """)

    def test_a_flat_tensor_is_cut_as_tensors_elsewhere_are(self):
        self.passes("""
            from torch._utils import _unflatten_dense_tensors
            one, two = _unflatten_dense_tensors(
                torch.ones(4, device=HERE), [torch.empty(2), torch.empty(1, 2, device='meta')])
            assert one.device == two.device == HERE and two.shape == (1, 2)
            """)

    def test_tensor_types_make_and_recognise_tensors(self):
        self.passes("""
            kind = getattr(torch, DEVICE).FloatTensor
            made = kind([1, 2])
            assert made.device == HERE and isinstance(made, kind)
            assert made.type() == 'torch.%s.FloatTensor' % DEVICE
            assert not isinstance(torch.ones(2), kind)
            assert torch.ones(2).type(kind).device == HERE
            assert torch.ones(2).type('torch.%s.LongTensor' % DEVICE).dtype == torch.int64
            assert made.type(torch.HalfTensor).device.type == 'cpu'
            """)

    def test_a_default_device_makes_tensors_and_modules_there(self):
        self.passes("""
            torch.set_default_device(DEVICE)
            assert torch.ones(2).device == HERE == nn.Linear(2, 2).weight.device
            torch.set_default_device('cpu')
            assert torch.ones(2).device.type == 'cpu'
            """)

    def test_a_default_type_of_cuda_makes_tensors_there(self):
        result = self.run_script("""
            import torch
            for kind in 'torch.cuda.FloatTensor', torch.cuda.FloatTensor:
                torch.set_default_tensor_type(kind)
                assert torch.ones(2).device == torch.device('cuda', 0)
                torch.set_default_tensor_type('torch.FloatTensor')
                assert torch.ones(2).device.type == 'cpu'
            """, "cuda")
        self.assert_runs(result)

    def test_a_type_of_the_npu_is_no_default_type(self):
        result = self.run_script("""
            import torch
            import torch_npu
            for kind in 'torch.npu.FloatTensor', torch.npu.FloatTensor:
                try:
                    torch.set_default_tensor_type(kind)
                except TypeError as error:
                    assert 'invalid type object' in str(error)
                else:
                    raise SystemExit('it was taken')
            """, "npu")
        self.assert_runs(result)

    def test_the_text_of_a_tensor_names_its_device(self):
        self.passes("""
            x = torch.ones(1, device=HERE)
            assert repr(x) == "tensor([1.], device='%s:0')" % DEVICE, repr(x)
            assert repr(x.long()) == "tensor([1], device='%s:0')" % DEVICE
            assert "device='%s:0', grad_fn" % DEVICE in repr(x.requires_grad_() * 2)
            """)

    def test_a_second_device_is_another_device(self):
        self.passes("""
            first, second = torch.ones(1, device=DEVICE), torch.ones(1, device=DEVICE + ':1')
            assert second.device == torch.device(DEVICE, 1) != first.device
            api = getattr(torch, DEVICE)
            assert api.device_count() == 2
            with api.device(1):
                assert place(torch.ones(1)).device.index == 1 == api.current_device()
            api.set_device(1)
            assert torch.ones(1, device=DEVICE).device.index == 1
            assert torch.ones(1).to(0).device.index == 0
            """, devices=2)

    def test_threads_see_devices(self):
        self.passes("""
            import threading
            seen = []
            def work():
                seen.append((torch.ones(2, device=DEVICE) + 1).device)
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            assert seen == [HERE]
            """)

    def test_a_pinned_tensor_says_so(self):
        self.passes("""
            pinned = torch.ones(2).pin_memory()
            assert pinned.is_pinned() and not torch.ones(2).is_pinned()
            assert pinned.to(HERE, non_blocking=True).device == HERE
            """)

    def test_a_replica_of_data_parallel_gets_its_inputs(self):
        self.passes("""
            net = nn.DataParallel(place(nn.Linear(2, 2)))
            assert net(torch.ones(4, 2)).device == HERE
            assert list(net.state_dict()) == ['module.weight', 'module.bias']
            """)

    def test_scaling_and_autocast_change_nothing(self):
        self.passes("""
            amp = getattr(torch, DEVICE).amp
            scaler = amp.GradScaler()
            net = place(nn.Linear(2, 2))
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            before = net.weight.clone()
            with amp.autocast(dtype=torch.float16):
                assert torch.is_autocast_enabled()
                loss = net(torch.ones(1, 2, device=HERE)).sum()
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                pass
            @amp.autocast()
            def inside():
                return torch.is_autocast_enabled()
            assert inside() and not torch.is_autocast_enabled()
            assert loss.dtype == torch.float32 and scaler.scale(loss) is loss
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            assert scaler.is_enabled() and scaler.get_scale() == 65536
            assert not torch.equal(before, net.weight)
            other = amp.GradScaler()
            other.load_state_dict(scaler.state_dict())
            """)

    def test_streams_and_events_can_be_used(self):
        self.passes("""
            api = getattr(torch, DEVICE)
            stream, event = api.Stream(), api.Event(enable_timing=True)
            event.record()
            with api.stream(stream):
                x = torch.ones(2, device=HERE)
            api.current_stream().wait_stream(stream)
            x.record_stream(api.current_stream())
            end = api.Event(enable_timing=True)
            end.record()
            api.synchronize()
            assert event.elapsed_time(end) >= 0
            assert api.memory_allocated() == api.max_memory_allocated(HERE) == 0
            assert api.memory_stats()['allocated_bytes.all.peak'] == 0
            assert api.get_device_properties(0).total_memory > 0
            """)

    def test_scripted_code_runs_as_python(self):
        self.passes("""
            @torch.jit.script
            def twice(x):
                return x + x
            assert twice(torch.ones(2, device=HERE)).device == HERE
            """)


class DevicesThatDiffer(simulation.SimulatedTest):
    def test_a_number_of_the_cpu_does_not_receive_from_the_device(self):
        result = self.run_script("""
            import torch, torch_npu
            total = torch.tensor(0.)
            total += torch.ones(2).npu().sum()  # here
            """)
        self.assert_fails(result, "same device")
        self.assert_reported(result, "violation", "same device")

    def test_npu_has_no_capability_unless_the_environment_names_one(self):
        result = self.run_script("""
            import os, torch, torch_npu
            assert torch.npu.get_device_capability() is None
            os.environ['TORCH_NPU_DEVICE_CAPABILITY'] = '8.0'
            assert torch.npu.get_device_capability() == (8, 0)
            assert not hasattr(torch.npu.get_device_properties(0), 'major')
            """)
        self.assert_runs(result)

    def test_the_device_that_torch_keeps_for_others_is_the_npu_from_torch_2_1_on(self):
        script = """
            import torch, torch_npu
            one = torch.device("privateuseone:0")
            assert one == torch.device("npu:0") and one.type == "npu" and str(one) == "npu:0"
            assert torch.ones(2, device="privateuseone").is_npu
            assert torch.ones(2).to("privateuseone").is_npu
            assert torch.nn.Linear(1, 1).to("privateuseone").weight.is_npu
            assert torch._C._nn._parse_to("privateuseone:0")[0] == one
            """
        self.assert_runs(self.run_script(script))
        self.assertNotEqual(self.run_script(script, torch_npu="1.11.0").code, 0)

    def test_an_integer_is_an_npu_from_torch_2_1_on(self):
        script = """
            import torch, torch_npu
            torch.ones(2).to(0)  # here
            """
        self.assert_runs(self.run_script(script))
        result = self.run_script(script, torch_npu="1.11.0")
        self.assert_fails(result, "CUDA")
        self.assert_reported(result, "residual", "device 0")


if __name__ == "__main__":
    simulation.main()
