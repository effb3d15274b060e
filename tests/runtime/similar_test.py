#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt_similar against the APIs that it stands for, on the CPU."""

import pathlib
import sys
import types
import unittest
import unittest.mock

import torch
import torch.nn.functional as F

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "python"))

import transplt_similar as similar  # noqa: E402


class SimilarTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(7)

    def assert_same(self, actual, expected):
        self.assertEqual(actual.shape, expected.shape)
        self.assertEqual(actual.dtype, expected.dtype)
        torch.testing.assert_close(actual, expected)

    def assert_same_gradient(self, ours, original, *shape):
        x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        ours(x).pow(2).sum().backward()
        original(y).pow(2).sum().backward()
        torch.testing.assert_close(x.grad, y.grad)


class ShuffleChannels(SimilarTest):
    @staticmethod
    def shuffled(x, groups):
        n, c, h, w = x.shape
        return x.view(n, groups, c // groups, h, w).transpose(1, 2).contiguous().view(n, c, h, w)

    def test_gives_the_same_and_its_gradient(self):
        for groups in (1, 2, 4, 8):
            x = torch.randn(2, 24, 3, 3)
            self.assert_same(similar.shuffle_channels(x, groups), self.shuffled(x, groups))
            self.assert_same_gradient(lambda x: similar.shuffle_channels(x, groups),
                                      lambda x: self.shuffled(x, groups), 2, 24, 3, 3)

    def test_has_gradients_of_gradients(self):
        x = torch.randn(1, 4, 2, 2, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradgradcheck(
            lambda x: similar.shuffle_channels(x, 2).pow(3), (x,)))

    def test_makes_its_index_once(self):
        indices = []
        for _ in range(2):
            x = torch.randn(1, 6, 1, 1, requires_grad=True)
            indices.append(similar.shuffle_channels(x, 3).grad_fn.orders)
        self.assertIs(indices[0][0], indices[1][0])
        self.assertIs(indices[0][1], indices[1][1])

    def test_is_traced_as_an_index_select(self):
        traced = torch.jit.trace(lambda x: similar.shuffle_channels(x, 2), torch.randn(1, 4, 2, 2))
        self.assertIn("aten::index_select", str(traced.graph))


class ShuffledBlocks(SimilarTest):
    class Block(torch.nn.Module):
        groups = 2

        def __init__(self, width):
            super().__init__()
            self.body = torch.nn.Conv2d(width - (width + 1) // 2, width // 2, 1)

        @similar.takes_halves
        def forward(self, x):
            self.saw = type(x)
            x1, x2 = similar.halves(x)
            return similar.shuffle_parts(self, (x1, self.body(x2)), self.groups)

    def line(self, width=6, count=3):
        return similar.ShuffledSequential(*(self.Block(width) for _ in range(count)))

    def plain(self, line, x):
        for block in line:
            x1, x2 = x.chunk(2, dim=1)
            x = ShuffleChannels.shuffled(torch.cat((x1, block.body(x2)), 1), block.groups)
        return x

    def test_give_the_same_and_its_gradient_for_any_number_of_groups_and_channels(self):
        for width, groups in ((6, 2), (12, 4), (9, 3), (2, 1)):
            with unittest.mock.patch.object(self.Block, "groups", groups):
                line = self.line(width).double()
                self.assert_same_gradient(line, lambda x: self.plain(line, x), 2, width, 3, 3)
                self.assertEqual([block.saw for block in line],
                                 [torch.Tensor, similar._Halves, similar._Halves])

    def test_see_tensors_where_somebody_else_looks_on(self):
        x = torch.randn(2, 6, 3, 3)
        hooks = torch.nn.modules.module
        for register in (lambda line: line[1].register_forward_hook(lambda *_: None),
                         lambda line: line[1].register_forward_pre_hook(lambda *_: None),
                         lambda line: setattr(line[1], "forward", line[1].forward),
                         lambda line: setattr(line[1], "__class__", Wrapped)):
            class Wrapped(self.Block):
                def forward(self, x):
                    return super().forward(x)

            line = self.line()
            register(line)
            self.assert_same(line(x), self.plain(line, x))
            self.assertEqual({block.saw for block in line}, {torch.Tensor})
        everywhere = hooks.register_module_forward_hook(lambda *_: None)
        try:
            line = self.line()
            line(x)
            self.assertEqual({block.saw for block in line}, {torch.Tensor})
        finally:
            everywhere.remove()

    def test_take_whole_what_they_do_not_split(self):
        class Whole(self.Block):
            @similar.takes_halves
            def forward(self, x):
                return similar.whole(x) * 2 if similar.whole(x) is not x else x.sqrt()

        line = similar.ShuffledSequential(self.Block(6), Whole(6))
        x = torch.randn(2, 6, 3, 3)
        self.assert_same(line(x), 2 * self.plain(line[:1], x))

    def test_forget_who_gives_halves_after_an_error(self):
        line = self.line()
        with self.assertRaises(RuntimeError):
            line(torch.randn(1, 8, 2, 2))
        self.assertIsNone(getattr(similar._giving, "block", None))

    def test_hold_others_within_them(self):
        outer = self.line()
        inner = self.line(2)
        outer[1].body = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 1), inner,
                                            torch.nn.Conv2d(2, 3, 1))
        x = torch.randn(2, 6, 3, 3)
        self.assert_same(outer(x), self.plain(outer, x))
        self.assertIs(outer[2].saw, similar._Halves)

    def test_work_with_half_precision_of_a_part(self):
        block = self.Block(4)
        parts = torch.randn(1, 2, 2, 2).bfloat16(), torch.randn(1, 2, 2, 2)
        result = similar.shuffle_parts(block, parts, 2)
        self.assert_same(result, ShuffleChannels.shuffled(torch.cat(parts, 1), 2))


class MaxUnpool(SimilarTest):
    def test_1d_undoes_max_pool(self):
        for kernel, stride, padding, length in ((2, 2, 0, 8), (3, 2, 1, 9), (2, None, 0, 6)):
            values, indices = F.max_pool1d(torch.randn(2, 3, length), kernel, stride, padding,
                                           return_indices=True)
            self.assert_same(similar.max_unpool1d(values, indices, kernel, stride, padding),
                             F.max_unpool1d(values, indices, kernel, stride, padding))

    def test_2d_undoes_max_pool_and_takes_an_output_size(self):
        for shape, size in (((8, 6), None), ((9, 7), (9, 7)), ((9, 7), (2, 3, 9, 7))):
            x = torch.randn(2, 3, *shape)
            values, indices = F.max_pool2d(x, 2, 2, return_indices=True)
            self.assert_same(similar.max_unpool2d(values, indices, 2, 2, output_size=size),
                             F.max_unpool2d(values, indices, 2, 2, output_size=size))

    def test_the_modules_do_what_the_functions_do(self):
        values, indices = F.max_pool2d(torch.randn(1, 2, 8, 6), (2, 3), return_indices=True)
        self.assert_same(similar.MaxUnpool2d((2, 3))(values, indices),
                         torch.nn.MaxUnpool2d((2, 3))(values, indices))
        values, indices = F.max_pool1d(torch.randn(2, 8), 2, return_indices=True)
        self.assert_same(similar.MaxUnpool1d(2)(values, indices),
                         torch.nn.MaxUnpool1d(2)(values, indices))

    def test_gradients_flow_to_the_values(self):
        indices = F.max_pool1d(torch.randn(2, 3, 8), 2, return_indices=True)[1]
        self.assert_same_gradient(lambda x: similar.max_unpool1d(x, indices, 2),
                                  lambda x: F.max_unpool1d(x, indices, 2), 2, 3, 4)

    def test_values_without_their_indices_are_refused(self):
        with self.assertRaises(RuntimeError):
            similar.max_unpool1d(torch.zeros(1, 1, 4), torch.zeros(1, 1, 3).long(), 2)


class RepeatInterleave(SimilarTest):
    def test_repeats_by_one_number_or_by_one_for_each(self):
        x = torch.randn(2, 3, 4)
        for arguments in ((2,), (3, 1), (0, 0), (torch.tensor([2]), -1),
                          (torch.tensor([1, 0, 3]), 1), (torch.tensor([2, 1]), 0)):
            self.assert_same(similar.repeat_interleave(x, *arguments),
                             torch.repeat_interleave(x, *arguments))

    def test_takes_the_repeats_alone(self):
        for repeats in (torch.tensor([2, 0, 3]), torch.tensor([1, 2], dtype=torch.int32)):
            self.assert_same(similar.repeat_interleave(repeats),
                             torch.repeat_interleave(repeats))

    def test_takes_keywords(self):
        x = torch.randn(3, 2)
        counts = torch.tensor([1, 2, 1])
        self.assert_same(similar.repeat_interleave(x, repeats=counts, dim=0, output_size=4),
                         torch.repeat_interleave(x, repeats=counts, dim=0, output_size=4))

    def test_gradients_are_summed(self):
        counts = torch.tensor([2, 0, 1])
        self.assert_same_gradient(lambda x: similar.repeat_interleave(x, counts, 0),
                                  lambda x: torch.repeat_interleave(x, counts, 0), 3, 2)

    def test_a_wrong_number_of_repeats_is_refused(self):
        with self.assertRaises(RuntimeError):
            similar.repeat_interleave(torch.zeros(3), torch.tensor([1, 2]), 0)


class Pad(SimilarTest):
    def test_with_a_value(self):
        x = torch.randn(2, 3, 4, 5)
        for amounts, value in (((1, 2), None), ((1, 2, 3, 4), 7.0), ((0, 0, 0, 0, 1, 0), -1.0),
                               ((-1, 2), 0.5), ((-1, -2, 0, -1), None), ((0, 0), 3.0)):
            self.assert_same(similar.pad(x, amounts, value=value), F.pad(x, amounts, value=value))

    def test_keeps_the_type_of_integers_and_booleans(self):
        for x in (torch.arange(6).reshape(2, 3), torch.ones(2, 3, dtype=torch.bool)):
            self.assert_same(similar.pad(x, (1, 1)), F.pad(x, (1, 1)))

    def test_by_reflection_replication_and_around(self):
        x = torch.randn(2, 3, 5, 6)
        for mode in ("reflect", "replicate", "circular"):
            for amounts in ((1, 2, 3, 4), (0, 2, 1, 0), (4, 4, 4, 4)):
                self.assert_same(similar.pad(x, amounts, mode=mode), F.pad(x, amounts, mode=mode))

    def test_gradients(self):
        for mode in ("constant", "reflect", "replicate", "circular"):
            self.assert_same_gradient(lambda x: similar.pad(x, (2, 1), mode=mode),
                                      lambda x: F.pad(x, (2, 1), mode=mode), 2, 3, 4)

    def test_what_the_original_refuses_is_refused(self):
        for arguments in (((1,),), ((9, 9), "reflect"), ((1, 1), "mirror")):
            for function in (similar.pad, F.pad):
                with self.assertRaises((RuntimeError, NotImplementedError)):
                    function(torch.zeros(1, 2, 3), *arguments)


class Modules(SimilarTest):
    def test_a_dilated_conv3d_gives_the_same_and_has_the_same_state(self):
        x = torch.randn(2, 4, 9, 10, 11)
        for options in ({"dilation": 2}, {"dilation": (1, 2, 3), "padding": 2, "stride": 2},
                        {"dilation": 2, "groups": 2, "bias": False},
                        {"dilation": 2, "padding": "same"}, {"padding": 1},
                        {"dilation": 2, "padding": 1, "padding_mode": "circular"}):
            original = torch.nn.Conv3d(4, 6, 3, **options)
            ours = similar.Conv3d(4, 6, 3, **options)
            ours.load_state_dict(original.state_dict())
            torch.testing.assert_close(ours(x), original(x))

    def test_sync_batch_norm_normalises_one_batch_as_batch_norm_does(self):
        x = torch.randn(4, 3, 5)
        ours, original = similar.SyncBatchNorm(3), torch.nn.BatchNorm1d(3)
        self.assert_same(ours(x), original(x))
        self.assertEqual(list(ours.state_dict()), list(torch.nn.SyncBatchNorm(3).state_dict()))
        with self.assertRaises(ValueError):
            ours(torch.zeros(3))

    def test_conversion_to_sync_batch_norm_leaves_the_model(self):
        model = torch.nn.Sequential(torch.nn.BatchNorm2d(3))
        self.assertIs(similar.SyncBatchNorm.convert_sync_batchnorm(model), model)


class Devices(SimilarTest):
    def test_the_default_type_of_elements_follows_the_type_of_tensors(self):
        self.addCleanup(torch.set_default_dtype, torch.get_default_dtype())
        for given, dtype in (("torch.DoubleTensor", torch.float64), (torch.HalfTensor, torch.half),
                             ("torch.npu.FloatTensor", torch.float32)):
            similar.set_default_tensor_type(given)
            self.assertEqual(torch.get_default_dtype(), dtype)
        with self.assertRaises(TypeError):
            similar.set_default_tensor_type("torch.LongTensor")

    def test_properties_that_an_npu_lacks_have_harmless_values(self):
        card = types.SimpleNamespace(name="Ascend910", total_memory=64, cube_core_num=24)
        torch.npu = types.SimpleNamespace(current_device=lambda: 0,
                                          get_device_properties=lambda device: card)
        self.addCleanup(delattr, torch, "npu")
        properties = similar.get_device_properties()
        self.assertEqual((properties.name, properties.total_memory), ("Ascend910", 64))
        self.assertEqual(properties.multi_processor_count, 24)
        self.assertFalse(properties.major >= 8)
        with self.assertRaises(AttributeError):
            properties.no_such_thing


if __name__ == "__main__":
    unittest.main()
