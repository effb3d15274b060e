#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs for older versions of Python, numpy, torch and torchvision run, and what is old is reported."""

import simulation


class OldSpellings(simulation.SimulatedTest):
    def assert_accepts(self, old, script, simulate="npu", **settings):
        """The script runs, and the line that is marked is reported as written for an older version."""
        result = self.run_script(script, simulate, **settings)
        self.assert_runs(result)
        return self.assert_reported(result, "old_spelling", old)

    def test_the_number_in_a_loss_is_taken_by_its_index(self):
        for simulate in ("npu", "cuda", "cpu"):
            with self.subTest(simulate):
                event = self.assert_accepts("loss.data[0]", """
                    import torch
                    from torch.autograd import Variable
                    loss = (Variable(torch.ones(3), requires_grad=True) * 2).mean()
                    assert loss.data[0] == 2.0 and isinstance(loss.data[0], float)  # here
                    loss[0].backward()
                    """, simulate)
                self.assertEqual(event["now"], "loss.item()")

    def test_a_quotient_without_a_fraction_is_the_end_of_a_range(self):
        (self.folder / "project").mkdir()
        (self.folder / "project" / "layers.py").write_text(
            "def blocks(count):\n    return len(range(count)) + isinstance(range(2), range)\n")
        result = self.run_process("""
            import builtins
            import torch
            import layers
            assert list(range(6 / 2)) == [0, 1, 2]  # here
            assert layers.blocks((16 - 4) / 6) == 3
            try:
                range(2.5)
            except TypeError:
                builtins.print = lambda *words: None
            print("not printed")
            """, "npu")
        self.assert_runs(result)
        self.assertEqual(result.out, "")
        self.assert_reported(result, "old_spelling", "range(a / b)")

    def test_a_quotient_without_a_fraction_is_a_size(self):
        self.assert_accepts("Linear(a / b)", """
            import torch, torch_npu
            half = torch.nn.Linear(8 / 2, out_features=2).npu()  # here
            assert half.weight.shape == (2, 4) and half.in_features == 4
            """)
        self.assert_accepts("view(a / b)", """
            import torch, torch_npu
            numbers = torch.arange(8).npu()
            assert numbers.view(-1, 8 / 2).shape == (2, 4)  # here
            assert numbers.t().view((4, 4 / 2)).is_npu
            assert numbers[:2].repeat(4 / 2).tolist() == [0, 1, 0, 1]
            assert torch.nn.Conv2d(4 / 4, 4 / 2, 3 / 1).weight.shape == (2, 1, 3, 3)
            """)

    def test_a_size_with_a_fraction_is_refused(self):
        self.assert_fails(self.run_script("import torch\ntorch.ones(3).view(1.5, 2.0)\n"), "TypeError")
        self.assert_fails(self.run_script("import torch\ntorch.nn.Linear(1.5, 2)\n"), "TypeError")

    def test_an_index_that_no_version_has_taken_is_refused(self):
        for index in ("1", "None, 0, 0", "'x'"):
            with self.subTest(index):
                self.assert_fails(self.run_script("import torch\ntorch.ones(())[%s]\n" % index))
        self.assert_fails(self.run_script("import torch\ntorch.ones(2)[2]\n"), "IndexError")

    def test_a_view_of_what_is_not_contiguous_is_a_copy(self):
        self.assert_accepts("Tensor.view", """
            import torch, torch_npu
            correct = torch.arange(6).npu().view(3, 2).t()
            flat = correct[:1].view(-1)
            assert correct.view(-1).tolist() == [0, 2, 4, 1, 3, 5]  # here
            assert correct.view(-1).is_npu and correct.view(size=(6,)).shape == (6,)
            """)

    def test_a_view_of_a_wrong_size_is_refused(self):
        self.assert_fails(self.run_script("import torch\ntorch.ones(6).view(4)\n"), "is invalid")

    def test_a_target_of_another_shape_is_taken_element_by_element(self):
        self.assert_accepts("BCELoss", """
            import torch
            output, target = torch.tensor([[0.5], [0.25]]), torch.tensor([1.0, 0.0])
            loss = torch.nn.BCELoss()
            assert loss(output, target) == loss(output, target.view(2, 1))  # here
            """)
        self.assert_fails(self.run_script("""
            import torch
            torch.nn.BCELoss()(torch.ones(2, 1), torch.ones(3))
            """))

    def test_labels_that_were_filled_with_a_whole_number_are_taken_as_such_with_a_fraction(self):
        result = self.run_script("""
            import torch, torch_npu
            net = torch.nn.Linear(2, 1).npu()
            label = torch.full((3,), 1, device='npu')
            output = net(torch.ones(3, 2).npu()).sigmoid().view(-1)
            loss = torch.nn.BCELoss()(output, label)  # here
            loss.backward()
            label.fill_(0)
            assert torch.nn.functional.binary_cross_entropy(output, label) != loss
            """)
        self.assert_runs(result)
        self.assert_reported(result, "old_spelling", "BCELoss()(output, torch.full(size, 1))")

    def test_what_is_not_true_is_counted_as_a_number(self):
        self.assert_accepts("1 - (x > 0)", """
            import torch, torch_npu
            mask = torch.arange(4).npu() > 1
            rest = 1 - mask  # here
            assert rest.tolist() == [1, 1, 0, 0] and rest.is_npu
            assert (mask - (torch.arange(4).npu() > 2)).tolist() == [0, 0, 1, 0]
            """)

    def test_the_next_batch_of_a_loader_has_a_method(self):
        self.assert_accepts("next()", """
            from torch.utils.data import DataLoader
            batches = iter(DataLoader([1, 2], batch_size=2))
            assert batches.next().tolist() == [1, 2]  # here
            """)

    def test_transforms_have_their_old_names(self):
        event = self.assert_accepts("torchvision.transforms.Scale", """
            from PIL import Image
            from torchvision import transforms
            from torchvision.transforms import RandomSizedCrop
            picture = transforms.Scale(8)(Image.new('RGB', (4, 4)))  # here
            assert transforms.ImageOps.invert(picture).size == (8, 8)
            assert picture.size == (8, 8) and RandomSizedCrop(2)(picture).size == (2, 2)
            """, "cuda")
        self.assertEqual(event["now"], "torchvision.transforms.Resize")

    def test_three_means_normalize_one_channel(self):
        self.assert_accepts("Normalize", """
            import torch
            from torchvision import transforms
            made = transforms.Normalize((0.5, 0, 0), (0.25, 1, 1))(torch.ones(1, 2, 2))  # here
            assert made.shape == (1, 2, 2) and made.min() == 2
            """, "cpu")

    def test_a_number_of_means_that_no_version_has_taken_is_refused(self):
        self.assert_fails(self.run_script("""
            import torch
            from torchvision import transforms
            transforms.Normalize((0, 0), (1, 1))(torch.ones(3, 2, 2))
            """))

    def test_names_that_numpy_had_are_its_present_ones(self):
        event = self.assert_accepts("numpy.float", """
            import numpy as np
            assert np.zeros(2, np.float).dtype == 'float64' and np.int is int  # here
            """)
        self.assertEqual(event["now"], "builtins.float")

    def test_rows_of_several_lengths_are_an_array_of_objects(self):
        event = self.assert_accepts("numpy.array(rows of several lengths)", """
            import numpy as np
            assert np.array([[1], [2, 3]]).shape == (2,)  # here
            assert np.array([[1], [2]]).shape == (2, 1) and np.asarray([1, 2]).dtype == int
            try:
                np.array([[1], [2, 3]], dtype=float)
            except ValueError:
                pass
            else:
                raise AssertionError
            """)
        self.assertEqual(event["now"], "numpy.array(rows, dtype=object)")

    def test_files_of_objects_are_read_unasked(self):
        self.assert_accepts("numpy.load(a file of objects)", """
            import numpy as np
            np.save('words.npy', np.array([['a'], ['b', 'c']], dtype=object))
            assert np.load('words.npy')[1] == ['b', 'c']  # here
            try:
                np.load('words.npy', allow_pickle=False)
            except ValueError:
                pass
            else:
                raise AssertionError
            """)

    def test_names_that_the_standard_library_had_are_its_present_ones(self):
        self.assert_accepts("collections.Iterable", """
            import collections
            from fractions import gcd
            from inspect import getargspec
            from collections import Mapping
            assert isinstance([], collections.Iterable) and isinstance({}, Mapping)  # here
            assert gcd(4, 6) == 2 and getargspec(lambda x: x).args == ['x']
            """)

    def test_a_module_that_is_gone_is_found_under_its_old_name(self):
        self.assert_accepts("torchvision.models.utils", """
            from torchvision.models.utils import load_state_dict_from_url  # here
            """)

    def test_a_module_of_a_package_that_is_one_file_now_is_found_under_its_old_name(self):
        linalg = self.folder / "library" / "scipy" / "sparse" / "linalg"
        linalg.mkdir(parents=True)
        for package in (linalg, linalg.parent, linalg.parent.parent):
            (package / "__init__.py").write_text("def eigsh(): return 3\n")
        (linalg / "eigen.py").write_text("")
        event = self.assert_accepts("scipy.sparse.linalg.eigen.arpack.eigsh", """
            import sys
            sys.path.insert(0, %r)
            from scipy.sparse.linalg.eigen.arpack import eigsh  # here
            assert eigsh() == 3
            """ % str(self.folder / "library"))
        self.assertEqual(event["now"], "scipy.sparse.linalg.eigsh")

    def test_a_module_of_a_package_is_found_beside_the_one_that_imports_it(self):
        self._write("")
        package = self.folder / "project" / "nets"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "layers.py").write_text("size = 3\n")
        (package / "model.py").write_text("import layers\nfrom layers import *\nassert size == 3\n")
        result = self.run_script("""
            from nets.model import layers
            assert layers.size == 3
            """)
        self.assert_runs(result)
        event, = result.of("old_spelling")
        self.assertEqual((event["what"], event["now"], event["file"], event["line"]),
                         ("import layers", "from . import layers", "nets/model.py", 1))

    def test_a_module_beside_is_not_found_for_one_that_tries_something_else(self):
        self._write("")
        package = self.folder / "project" / "nets"
        package.mkdir()
        (package / "layers.py").write_text("")
        (package / "model.py").write_text(
            "try:\n    import layers\nexcept ImportError:\n    from . import layers\n")
        result = self.run_script("from nets.model import layers\nassert layers.__name__ == 'nets.layers'\n")
        self.assert_runs(result)
        self.assertEqual(result.of("old_spelling"), [])

    def test_a_module_beside_is_not_there_for_one_that_only_asks(self):
        self._write("")
        package = self.folder / "project" / "nets"
        package.mkdir()
        (package / "layers.py").write_text("")
        (package / "model.py").write_text(
            "import importlib.util\nfound = importlib.util.find_spec('layers')\n")
        result = self.run_script("from nets.model import found\nassert found is None\n")
        self.assert_runs(result)
        self.assertEqual(result.of("old_spelling"), [])

    def test_a_configuration_is_read_without_naming_a_loader(self):
        self.assert_accepts("yaml.load", """
            import io, yaml
            assert yaml.load('a: 1') == {'a': 1}  # here
            assert yaml.load(io.StringIO('b: 2'), Loader=yaml.SafeLoader) == {'b': 2}
            """)

    def test_a_program_that_knows_both_names_takes_the_present_one(self):
        result = self.run_script("""
            try:
                from collections import Iterable
            except ImportError:
                from collections.abc import Iterable
            try:
                import torchvision.models.utils
            except ImportError:
                pass
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("old_spelling"), [])

    def test_a_name_that_nothing_ever_had_is_refused(self):
        for script, name in (("import numpy as np\nnp.floaty\n", "floaty"),
                             ("import collections\ncollections.Iterables\n", "Iterables"),
                             ("from torchvision import transforms\ntransforms.Scales\n", "Scales")):
            with self.subTest(name):
                self.assert_fails(self.run_script(script), name)

    def test_code_outside_of_the_project_does_not_get_them(self):
        result = self.run_script("""
            import types, numpy
            library = types.ModuleType('library')
            source = "import numpy\\nhas = hasattr(numpy, 'float')\\n"
            exec(compile(source, '/usr/lib/library.py', 'exec'), vars(library))
            assert not library.has
            """)
        self.assert_runs(result)


if __name__ == "__main__":
    simulation.main()
