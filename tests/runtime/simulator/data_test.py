#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, stand-ins for datasets, and the support of operators."""

import json
import subprocess
import textwrap

import simulation


class Checkpoints(simulation.SimulatedTest):
    def test_a_tensor_comes_back_to_its_device(self):
        for simulate in ("npu", "cuda"):
            with self.subTest(simulate):
                result = self.run_script("""
                    import io, torch
                    if %r == 'npu':
                        import torch_npu
                    here = torch.device(%r, 0)
                    net = torch.nn.Linear(2, 2).to(here)
                    saved = io.BytesIO()
                    torch.save({'net': net.state_dict(), 'whole': net, 'host': torch.ones(1)}, saved)

                    def load(**options):
                        saved.seek(0)
                        return torch.load(saved, **options)

                    back = load()
                    assert back['net']['weight'].device == here == back['whole'].weight.device
                    assert isinstance(back['whole'].weight, torch.nn.Parameter)
                    assert back['host'].device.type == 'cpu'
                    for place in (here, str(here), {'cpu': str(here)}):
                        assert load(map_location=place)['host'].device == here
                    for place in ('cpu', lambda storage, location: storage):
                        back = load(map_location=place)
                        assert back['net']['weight'].device.type == 'cpu'
                    assert torch.equal(back['net']['weight'], net.weight.cpu())
                    move = lambda storage, location: getattr(storage, here.type)(0)
                    assert load(map_location=move)['host'].device == here
                    """ % (simulate, simulate), simulate)
                self.assert_runs(result)

    def test_a_checkpoint_names_the_device_and_nothing_of_the_simulator(self):
        result = self.run_script("""
            import zipfile, torch, torch_npu
            net = torch.nn.Linear(2, 2).npu()
            torch.save({'net': net, 'tensor': torch.ones(2).npu(), 'device': net.weight.device}, 'a.pt')
            archive = zipfile.ZipFile('a.pt')
            content = b''.join(archive.read(name) for name in archive.namelist())
            assert b'npu:0' in content
            assert b'simulated' not in content and b'transplt' not in content
            """)
        self.assert_runs(result)


class Comparison(simulation.SimulatedTest):
    def compare(self, make, *options):
        """Runs `make`, which writes folders a and b, and compares these."""
        result = self.run_script(textwrap.dedent("""
            import os, torch
            os.makedirs('a'); os.makedirs('b')
            def save(name, a, b):
                torch.save(a, 'a/' + name); torch.save(b, 'b/' + name)
            """) + textwrap.dedent(make), "cpu")
        self.assert_runs(result)
        project = self.folder / "project"
        done = subprocess.run(
            [simulation.PYTHON, "-m", "transplt_simulator.compare_checkpoints", str(project / "a"),
             str(project / "b"), *options], env=simulation.environment(""), text=True,
            stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def test_equal_checkpoints_are_equal(self):
        found = self.compare("""
            state = {'model': torch.nn.Linear(2, 2).state_dict(), 'epoch': 3, 'nan': torch.tensor([float('nan')])}
            save('x.pt', state, state)
            """)
        self.assertTrue(found["equal"])
        self.assertEqual(list(found["files"]["x.pt"]["tensors"]),
                         ["model.weight", "model.bias", "epoch", "nan"])

    def test_a_difference_names_tensor_and_size(self):
        found = self.compare("save('x.pth', {'w': [torch.ones(2)]}, {'w': [torch.tensor([1., 1.5])]})")
        self.assertFalse(found["equal"])
        tensor = found["files"]["x.pth"]["tensors"]["w.0"]
        self.assertEqual((tensor["max_abs_difference"], tensor["equal"], tensor["shape"]),
                         (0.5, False, [2]))

    def test_a_tolerance_allows_a_small_difference(self):
        found = self.compare("save('x.pt', torch.ones(2), torch.ones(2) + 1e-6)", "--atol", "1e-3")
        self.assertTrue(found["equal"])
        self.assertGreater(found["files"]["x.pt"]["tensors"][""]["max_abs_difference"], 0)

    def test_shapes_dtypes_and_missing_tensors_differ(self):
        found = self.compare("""
            save('x.pt', {'s': torch.ones(2), 'd': torch.ones(2), 'a': torch.ones(1)},
                 {'s': torch.ones(3), 'd': torch.ones(2).double(), 'b': torch.ones(1)})
            """)["files"]["x.pt"]
        self.assertEqual((found["only_a"], found["only_b"]), (["a"], ["b"]))
        self.assertFalse(found["tensors"]["s"]["equal"] or found["tensors"]["d"]["equal"])

    def test_a_file_on_one_side_only_is_a_difference(self):
        found = self.compare("torch.save(torch.ones(1), 'a/only.pt')")
        self.assertEqual((found["only_a"], found["equal"]), (["only.pt"], False))

    def test_classes_of_the_project_are_neither_needed_nor_run(self):
        found = self.compare("""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = torch.nn.Linear(2, 2)
            Net.__module__ = 'no_such_module'
            import sys, types
            sys.modules['no_such_module'] = types.ModuleType('no_such_module')
            sys.modules['no_such_module'].Net = Net
            net = Net()
            save('x.pt', net, net)
            """)
        self.assertTrue(found["equal"])
        self.assertIn("_modules.inner.weight", found["files"]["x.pt"]["tensors"])

    def test_a_file_that_cannot_be_read_says_why(self):
        found = self.compare("""
            open('a/x.pt', 'w').write('text'); open('b/x.pt', 'w').write('other')
            """)
        self.assertFalse(found["equal"])
        self.assertIn("A cannot be read", found["files"]["x.pt"]["error"])

    def test_values_that_torch_has_no_type_for_are_compared(self):
        found = self.compare("""
            import argparse, collections, numpy, pathlib
            state = {'model': torch.nn.Linear(2, 2).state_dict(), 'rng': numpy.random.get_state(),
                     'tokens': numpy.arange(3, dtype='uint16'), 'words': numpy.array(['a', 'b']),
                     'huge': 2 ** 70, 'best': 'epoch1', 'args': argparse.Namespace(lr=0.1, out='x'),
                     'ids': {1, 2}, 'last': collections.deque([1]), 'sum': 2 ** 53,
                     'long': torch.tensor(2 ** 53), 'path': pathlib.Path('x'), 'type': torch.float32}
            save('same.pt', state, state)
            other = dict(state, tokens=state['tokens'] + numpy.uint16(1), huge=2 ** 70 + 1,
                         words=numpy.array(['a', 'c']), best='epoch2', ids={1, 3}, sum=2 ** 53 + 1,
                         args=argparse.Namespace(lr=0.2, out='y'), last=collections.deque([2]),
                         long=torch.tensor(2 ** 53 + 1), path=pathlib.Path('y'), type=torch.float16,
                         rng=('MT19937', state['rng'][1] + numpy.uint32(1)) + state['rng'][2:])
            save('x.pt', state, other)
            numpy.save('a/y.npy', state['tokens']); numpy.save('b/y.npy', other['tokens'])
            """)["files"]
        self.assertTrue(found["same.pt"]["equal"], found["same.pt"])
        self.assertFalse(found["y.npy"]["equal"])
        differ = sorted(name for name, one in found["x.pt"]["tensors"].items() if not one["equal"])
        self.assertEqual(differ, ["args.lr", "args.out", "best", "huge", "ids", "last.0", "long",
                                  "path", "rng.1", "sum", "tokens", "type", "words"])
        self.assertEqual(found["x.pt"]["tensors"]["best"]["other_text"], "'epoch2'")

    def test_a_value_that_cannot_be_compared_hides_no_other(self):
        found = self.compare("""
            save('x.pt', {'odd': torch.ones(2, 2).to_sparse_csr(), 'w': torch.ones(1)},
                 {'odd': torch.ones(2, 2).to_sparse_csr(), 'w': torch.zeros(1)})
            """)["files"]["x.pt"]
        self.assertFalse(found["tensors"]["w"]["equal"])
        self.assertIn("odd", found["tensors"])

    def test_texts_are_equal_whatever_the_device_and_the_folder_are_called(self):
        found = self.compare("""
            save('x.pt', {'device': 'cuda:0', 'backend': 'nccl', 'out': '/w/a/out', 'n': 'barracuda'},
                 {'device': 'npu:0', 'backend': 'hccl', 'out': '/w/b/out', 'n': 'barracuda'})
            save('y.pt', 'cuda:0', 'npu:1')
            """, "--places", "/w/a", "/w/b")["files"]
        self.assertTrue(found["x.pt"]["equal"], found)
        self.assertFalse(found["y.pt"]["equal"])

    def test_arguments_of_objects_of_the_project_count(self):
        found = self.compare("""
            import collections, sys, types
            Pair = collections.namedtuple('Pair', 'a b')
            Pair.__module__ = 'no_such_module'
            sys.modules['no_such_module'] = types.ModuleType('no_such_module')
            sys.modules['no_such_module'].Pair = Pair
            save('x.pt', Pair(1, 2), Pair(1, 3))
            """)
        self.assertFalse(found["equal"])

    def test_a_device_of_an_npu_in_a_checkpoint_can_be_read(self):
        result = self.run_script("""
            import os, torch, torch_npu
            os.makedirs('a')
            torch.save({'w': torch.ones(2).npu(), 'device': torch.device('npu:0')}, 'a/x.pt')
            """)
        self.assert_runs(result)
        path = str(self.folder / "project" / "a")
        done = subprocess.run([simulation.PYTHON, "-m", "transplt_simulator.compare_checkpoints", path,
                               path], env=simulation.environment(""), text=True, check=True,
                              stdout=subprocess.PIPE)
        self.assertTrue(json.loads(done.stdout)["equal"])


class Host(simulation.SimulatedTest):
    def test_a_host_with_torch_is_described(self):
        done = subprocess.run([simulation.PYTHON, "-m", "transplt_simulator.check_host"], text=True,
                              env=simulation.environment(""), stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout)
        self.assertEqual(sorted(found), ["error", "python", "supported", "torch"])
        self.assertTrue(found["torch"])

    def test_a_host_without_torch_says_so(self):
        (self.folder / "torch.py").write_text("raise ImportError('not here')\n")
        values = simulation.environment("")
        values["PYTHONPATH"] = "%s:%s" % (self.folder, values["PYTHONPATH"])
        done = subprocess.run([simulation.PYTHON, "-m", "transplt_simulator.check_host"], text=True,
                              env=values, stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout)
        self.assertIsNone(found["torch"])
        self.assertIn("torch cannot be imported", found["error"])


class FakeData(simulation.SimulatedTest):
    def test_datasets_have_the_interface_of_the_originals(self):
        result = self.run_script("""
            import torch
            from torchvision import datasets, transforms
            to_tensor = transforms.ToTensor()
            digits = datasets.MNIST('no/such/folder', train=True, download=True, transform=to_tensor)
            image, target = digits[0]
            assert image.shape == (1, 28, 28) and isinstance(target, int)
            assert digits.data.shape[1:] == (28, 28) and len(digits.targets) == len(digits)
            assert digits.classes[3] == '3 - three' and digits.class_to_idx['3 - three'] == 3
            test = datasets.MNIST('x', train=False, target_transform=lambda number: -number)
            assert len(test) < len(digits) and test[1][1] <= 0 and test[0][0].mode == 'L'
            colour = datasets.CIFAR10('x', transform=to_tensor)
            assert colour.data.shape[1:] == (32, 32, 3) and colour[0][0].shape == (3, 32, 32)
            assert len(datasets.CIFAR100('x').classes) == 100
            folder = datasets.ImageFolder('x/train', transform=to_tensor)
            assert folder[0][0].shape[0] == 3 and folder.imgs is folder.samples
            assert folder.samples[0][1] == folder.targets[0] and len(folder.classes) == 2
            datasets.LSUN('x', classes=['bedroom_train'], transform=to_tensor)[0]
            datasets.FashionMNIST('x', transform=to_tensor)[0]
            datasets.SVHN('x', split='train', transform=to_tensor)[0]
            assert len(datasets.FakeData(100000)) < 1000
            assert isinstance(digits, torch.utils.data.Dataset)
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_batches_that_divide_the_original_divide_the_stand_in(self):
        result = self.run_script("""
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            def sizes(data, batch):
                return {len(target) for _, target in DataLoader(data, batch)}
            tensor = transforms.ToTensor()
            assert sizes(datasets.MNIST('x', transform=tensor), 100) == {100}
            assert sizes(datasets.MNIST('x', train=False, transform=tensor), 1000) == {1000}
            assert sizes(datasets.CIFAR10('x', transform=tensor), 96) == {96, 64}  # nor the original
            assert sizes(datasets.ImageFolder('x', transform=tensor), 20) == {20}
            assert sizes(datasets.ImageFolder('x', transform=tensor), 10 ** 6) == {64}
            mine = datasets.MNIST('x', transform=tensor)
            mine.data = mine.data[:30]
            assert len(mine) == 30 and sizes(mine, 20) == {20, 10}
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_a_folder_does_not_grow_to_a_batch_that_nobody_fills(self):
        result = self.run_script("""
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            def sizes(data, batch, **options):
                return [len(target) for _, target in DataLoader(data, batch, **options)]
            tensor = transforms.ToTensor()
            assert sizes(datasets.ImageFolder('x', transform=tensor), 256) == [64]
            assert sizes(datasets.ImageFolder('x', transform=tensor), 96, drop_last=True) == [96]
            assert sizes(datasets.ImageFolder('x', transform=tensor), 20) == [20] * 4
            assert sizes(datasets.MNIST('x', transform=tensor), 6000) == [6000]
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_a_split_of_the_original_splits_the_stand_in(self):
        result = self.run_script("""
            from torch.utils.data import random_split
            from torchvision import datasets
            first, second = random_split(datasets.MNIST('x'), [50000, 10000])
            assert len(first) + len(second) == 1024 and len(second) == 170
            try:
                random_split(datasets.MNIST('x'), [5, 10])
            except ValueError:
                pass
            else:
                raise AssertionError
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_a_failure_that_the_size_of_a_stand_in_may_cause_is_told(self):
        for number, failing in enumerate((
                "Subset(digits, range(50000, 60000))[0]",
                "DataLoader(Subset(digits, range(len(digits))[5000:]), shuffle=True)",
                "random_split(digits, [55000, 100])", "1 / (len(digits) // 5000)"), 1):
            with self.subTest(failing):
                result = self.run_script("""
                    from torch.utils.data import DataLoader, Subset, random_split
                    from torchvision import datasets
                    digits = datasets.MNIST('x')
                    %s
                    """ % failing, "cpu", fake_data=1)
                self.assertNotEqual(result.code, 0)
                self.assertEqual(len(result.of("short_of_data")), number)

    def test_other_failures_are_not_put_down_to_the_size(self):
        for script in ("{}['key']", "from torchvision import datasets; datasets.MNIST('x'); {}['key']",
                       "from torchvision import datasets; datasets.ImageFolder('x'); [][0]"):
            with self.subTest(script):
                result = self.run_script(script, "cpu", fake_data=1)
                self.assertNotEqual(result.code, 0)
                self.assertEqual(result.of("short_of_data"), [])

    def test_stand_ins_have_the_whole_size_as_asked(self):
        result = self.run_script("""
            from torch.utils.data import DataLoader, Subset, random_split
            from torchvision import datasets
            digits = datasets.MNIST('x')
            assert len(digits) == 60000 and len(datasets.MNIST('x', train=False)) == 10000
            assert [len(part) for part in random_split(digits, [55000, 5000])] == [55000, 5000]
            assert Subset(digits, range(50000, 60000))[9999][1] < 10
            assert len(datasets.ImageFolder('x')) == 64
            """, "cpu", fake_data="whole")
        self.assert_runs(result)

    def test_a_part_that_a_script_takes_has_the_targets_of_that_part(self):
        result = self.run_script("""
            import numpy
            from torchvision import datasets
            digits = datasets.MNIST('x')
            wanted = digits.targets == 3
            digits.data, digits.targets = digits.data[wanted], digits.targets[wanted]
            assert {target for _, target in digits} == {3}
            colour = datasets.CIFAR10('x')
            colour.targets = [0] * len(colour)
            assert colour[5][1] == 0
            numbers = datasets.SVHN('x')
            numbers.labels = numbers.labels + 10
            assert numbers[5][1] >= 10
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_datasets_have_the_attributes_that_they_had_once(self):
        result = self.run_script("""
            from torchvision import datasets
            digits = datasets.MNIST('x')
            digits.train_data = digits.train_data[:3]
            digits.train_labels = digits.train_labels[:3] + 10  # here
            assert len(digits) == 3 and digits[2][1] >= 10
            pictures = datasets.CIFAR10('x')
            assert pictures.train_data.shape[1:] == (32, 32, 3)
            pictures.test_data = pictures.train_data[-5:]
            del pictures.train_data
            assert len(pictures) == 5 and pictures.test_data.shape[0] == 5
            """, "cpu", fake_data=1)
        self.assert_runs(result)
        self.assert_reported(result, "old_spelling", "dataset.train_labels")

    def test_two_processes_see_the_same_data(self):
        script = """
            import hashlib
            from torchvision import datasets
            data = datasets.MNIST('x').data
            print(hashlib.md5(data.numpy().tobytes()).hexdigest())
            """
        first = self.run_process(script, "cpu", fake_data=1)
        self.assert_runs(first)
        self.assertEqual(first.out, self.run_process(script, "npu", fake_data=1).out)

    def test_a_class_derived_from_a_dataset_works(self):
        result = self.run_script("""
            from torchvision import datasets
            from torchvision.datasets.mnist import MNIST

            class Pairs(MNIST):
                def __getitem__(self, index):
                    return super().__getitem__(index), self.targets[index]

            assert Pairs('x', train=False)[3][0][1] == Pairs('x', train=False)[3][1]
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_a_copy_of_a_dataset_finds_its_files(self):
        result = self.run_script("""
            import os
            import torch
            import torch.utils.data as data

            class MNIST(data.Dataset):
                def __init__(self, root, train=True, download=False):
                    if download:
                        self.download()
                    if not self._check_exists():
                        raise RuntimeError('Dataset not found')
                    file = 'training.pt' if train else 'test.pt'
                    self.data, self.labels = torch.load(os.path.join(root, 'processed', file))

                def __len__(self):
                    return len(self.data)

                def _check_exists(self):
                    return False

                def download(self):
                    raise OSError('no network')

            class FashionMNIST(MNIST):
                pass

            digits, clothes = MNIST('a', download=True), FashionMNIST('b', False)
            assert len(digits) == 1024 and len(clothes) == 256
            assert digits.data.shape == (1024, 28, 28) and digits.data.dtype is torch.uint8
            assert sorted(set(digits.labels.tolist())) == list(range(10))
            with open('a/raw/t10k-labels-idx1-ubyte', 'rb') as file:
                assert int.from_bytes(file.read(8)[4:], 'big') == 256
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_a_copy_that_names_the_number_of_pictures_has_as_many(self):
        result = self.run_script("""
            import os
            import pickle
            import numpy
            import torch.utils.data as data

            class CIFAR10(data.Dataset):
                base_folder = 'cifar-10-batches-py'

                def __init__(self, root, train=True):
                    if not self._check_integrity():
                        raise RuntimeError('Dataset not found or corrupted')
                    names = ['data_batch_%d' % n for n in range(1, 6)]
                    batches = []
                    for name in names:
                        with open(os.path.join(root, self.base_folder, name), 'rb') as file:
                            batches.append(pickle.load(file, encoding='latin1'))
                    self.data = numpy.concatenate([batch['data'] for batch in batches])
                    self.data = self.data.reshape((50000, 3, 32, 32))
                    self.labels = sum((batch['labels'] for batch in batches), [])

                def _check_integrity(self):
                    return False

            assert len(CIFAR10('x').labels) == 50000
            """, "cpu", fake_data=1)
        self.assert_runs(result)

    def test_without_the_option_datasets_are_the_originals(self):
        result = self.run_script("""
            from torchvision import datasets
            datasets.MNIST('x')
            """, "cpu")
        self.assert_fails(result, "Dataset not found")


class FullBatches(simulation.SimulatedTest):
    def test_of_a_set_that_is_smaller_than_one_get_one(self):
        self.assert_runs(self.run_script("""
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            tests = datasets.CIFAR10('x', train=False, transform=transforms.ToTensor())
            assert [len(y) for x, y in DataLoader(tests, 300, drop_last=True)] == [300]
            tests = datasets.CIFAR10('x', train=False, transform=transforms.ToTensor())
            assert [len(y) for x, y in DataLoader(tests, 300)] == [256]
            """, "npu", fake_data=1))


class Downloads(simulation.SimulatedTest):
    def run_script(self, script):
        return super().run_script(script, "npu", fake_data=1)

    def test_digits_come_in_the_form_of_their_files(self):
        result = self.run_script("""
            import gzip, urllib.request
            from urllib.request import urlopen, urlretrieve
            place = 'http://127.0.0.1:9/mnist/'
            labels = gzip.decompress(urlopen(place + 'train-labels-idx1-ubyte.gz').read())
            assert labels[:8] == bytes([0, 0, 8, 1]) + (60000).to_bytes(4, 'big')
            assert len(labels) == 8 + 60000 and set(labels[8:]) == set(range(10))
            urlretrieve(place + 'fashion/t10k-images-idx3-ubyte.gz?raw=1', 'x.gz')
            with gzip.open('x.gz') as file:
                assert file.read(8) == bytes([0, 0, 8, 3]) + (10000).to_bytes(4, 'big')
            request = urllib.request.Request(place + 'train-labels-idx1-ubyte.gz')
            assert len(gzip.decompress(urllib.request.urlopen(request).read())) == len(labels)
            """)
        self.assert_runs(result)
        self.assertEqual({event["what"] for event in result.of("fake_download")},
                         {"http://127.0.0.1:9/mnist/train-labels-idx1-ubyte.gz",
                          "http://127.0.0.1:9/mnist/fashion/t10k-images-idx3-ubyte.gz?raw=1"})

    def test_small_pictures_come_in_an_archive(self):
        self.assert_runs(self.run_script("""
            import pickle, tarfile
            from urllib.request import urlretrieve
            urlretrieve('https://127.0.0.1:9/cifar-10-python.tar.gz', 'c.tar.gz')
            archive = tarfile.open('c.tar.gz', 'r:gz')
            batch = pickle.load(archive.extractfile('cifar-10-batches-py/data_batch_5'))
            assert batch['data'].shape == (10000, 3072) and len(batch['labels']) == 10000
            """))

    def test_requests_gets_them_too(self):
        self.assert_runs(self.run_script("""
            import gzip, requests
            place = 'http://127.0.0.1:9/t10k-labels-idx1-ubyte.gz'
            answer = requests.get(place, stream=True)
            answer.raise_for_status()
            assert len(gzip.decompress(b''.join(answer.iter_content(4096)))) == 10008
            assert len(gzip.decompress(requests.get(place).content)) == 10008
            """))

    def test_what_is_not_known_is_asked_for_as_ever(self):
        self.assert_fails(self.run_script("""
            import urllib.request
            urllib.request.urlopen('http://127.0.0.1:9/words.gz')
            """), "URLError")


class Weights(simulation.SimulatedTest):
    LOADING = """
        import torch, torchvision
        from torch.utils import model_zoo
        torchvision.models.squeezenet1_0(pretrained=True)
        net = torch.nn.Linear(2, 2)
        before = net.weight.clone()
        state = model_zoo.load_url('https://localhost/a.pth')  # here
        print(net.load_state_dict(state), net.load_state_dict(state, strict=False).missing_keys)
        assert torch.equal(net.weight, before)
        """

    def test_that_would_be_downloaded_leave_the_model_as_it_began(self):
        result = self.run_script(self.LOADING, fake_data=1)
        self.assert_runs(result)
        self.assert_reported(result, "fake_weights", "https://localhost/a.pth")

    def test_that_were_downloaded_before_are_read(self):
        result = self.run_script("""
            import torch
            torch.save({'weight': torch.ones(1, 1), 'bias': torch.ones(1)}, 'a.pth')
            net = torch.nn.Linear(1, 1)
            net.load_state_dict(torch.hub.load_state_dict_from_url('https://localhost/a.pth', '.'))
            assert net.weight.item() == 1
            """, fake_data=1)
        self.assert_runs(result)
        self.assertEqual(result.of("fake_weights"), [])

    def test_are_downloaded_without_the_option(self):
        self.assert_fails(self.run_script(self.LOADING), "URLError")


class Operators(simulation.SimulatedTest):
    def test_an_unsupported_operator_is_listed_with_its_place_and_number_of_calls(self):
        result = self.run_script("""
            import torch, torch_npu
            x = torch.ones(4).npu()
            for _ in range(3):
                torch.unique_consecutive(x)  # here
            """)
        event = self.assert_reported(result, "op", "torch.unique_consecutive")
        self.assertEqual((event["support"], event["dtype"]), ("unsupported", ["float32"]))
        self.assertEqual(sum(one["count"] for one in result.of("op")
                             if one["op"] == "torch.unique_consecutive"), 3)

    def test_an_unsupported_module_is_listed(self):
        result = self.run_script("""
            import torch, torch_npu
            pool = torch.nn.MaxPool3d(2).npu()
            pool(torch.ones(1, 1, 2, 2, 2).npu())  # here
            """)
        self.assertEqual(self.assert_reported(result, "op", "MaxPool3d")["support"], "unsupported")

    def test_an_unsupported_module_of_modules_is_listed_as_a_whole(self):
        result = self.run_script("""
            import torch, torch_npu
            layer = torch.nn.TransformerEncoderLayer(4, 2)
            layers = torch.nn.TransformerEncoder(layer, 1).npu()
            layers(torch.ones(1, 1, 4).npu())  # here
            """)
        self.assertEqual(self.assert_reported(result, "op", "TransformerEncoder")["support"], "module")

    def test_a_limited_operator_with_float64_is_listed_with_its_place(self):
        result = self.run_script("""
            import torch, torch_npu
            x = torch.ones(4, dtype=torch.float64).npu()
            x + x  # here
            """)
        event = self.assert_reported(result, "op", "torch.Tensor.add")
        self.assertEqual((event["support"], event["dtype"]), ("limited", ["float64"]))
        self.assertIn("float64", event["note"])

    def test_a_limited_operator_with_usual_dtypes_is_listed_once(self):
        result = self.run_script("""
            import torch, torch_npu
            x = torch.ones(4).npu()
            x + x
            x + x
            """)
        found = [event for event in result.of("op") if event["op"] == "torch.Tensor.add"]
        self.assertTrue(all(event["usual_dtypes"] and event["line"] == 4 for event in found))

    def test_operators_on_the_cpu_are_not_listed(self):
        result = self.run_script("""
            import torch, torch_npu
            torch.unique_consecutive(torch.ones(4))
            """)
        self.assertEqual(result.of("op"), [])


if __name__ == "__main__":
    simulation.main()
