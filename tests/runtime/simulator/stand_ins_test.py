#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packages that are not installed and that no result depends on have stand-ins, which are reported."""

import importlib.util
import unittest

import simulation


def is_installed(name):
    return importlib.util.find_spec(name) is not None


class Windows(simulation.SimulatedTest):
    def test_are_not_shown(self):
        result = self.run_script("""
            import os, sys
            os.makedirs('../installed', exist_ok=True)
            with open('../installed/cv2.py', 'w') as file:
                file.write('def imshow(name, picture): raise OSError("no screen")\\n'
                           'waitKey = destroyAllWindows = imshow\\n'
                           'def resize(picture, size): return size\\n')
            sys.path.insert(0, '../installed')
            import cv2
            cv2.imshow('game', None)
            assert cv2.waitKey(1) & 0xFF == 255
            cv2.destroyAllWindows()
            assert cv2.resize(None, (2, 2)) == (2, 2) and not hasattr(cv2, 'namedWindow')
            """)
        self.assert_runs(result)

    def test_are_drawn_into_memory_by_toolkits(self):
        result = self.run_process("""
            import os
            assert os.environ['QT_QPA_PLATFORM'] == 'offscreen' and os.environ['MPLBACKEND'] == 'Agg'
            """)
        self.assert_runs(result)


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


class Drawing(simulation.SimulatedTest):
    """What shows a person how far a program is, or draws, or sends that elsewhere."""

    def assert_stands_in(self, name, script, simulate="npu"):
        if is_installed(name):
            self.skipTest("the real one is installed")
        result = self.run_script(script, simulate)
        self.assert_runs(result)
        self.assert_reported(result, "stand_in", name)

    def assert_refuses(self, name, script, what):
        if is_installed(name):
            self.skipTest("the real one is installed")
        self.assert_fails(self.run_script(script), what)

    def test_a_progress_bar_of_tqdm_goes_through_its_values(self):
        script = """
            from tqdm import tqdm, trange  # here
            bar = tqdm([3, 4], desc='Epoch', total=2, leave=False, ncols=80)
            assert len(bar) == 2 and list(bar) == [3, 4] and bar.n == 2
            with tqdm(total=5) as bar:
                bar.set_postfix(loss=1.0)
                bar.set_description('x')
                bar.update(3)
                assert (bar.n, bar.total) == (3, 5)
            assert list(trange(2)) == [0, 1]
            tqdm.write('printed')
            from tqdm.auto import tqdm
            import tqdm as whole
            assert list(whole.tqdm(range(2))) == [0, 1]
            """
        for simulate in ("npu", "cuda", "cpu"):
            with self.subTest(simulate):
                self.assert_stands_in("tqdm", script, simulate)
        self.assert_refuses("tqdm", "from tqdm import tqdm\ntqdm([], colr='red')\n", "colr")
        self.assert_refuses("tqdm", "from tqdm import tqdm\ntqdm([]).sett()\n", "sett")

    def test_figures_of_matplotlib_take_what_is_drawn(self):
        self.assert_stands_in("matplotlib", """
            import matplotlib  # here
            matplotlib.use('Agg')
            import matplotlib.pyplot as plt
            import matplotlib.gridspec as gridspec
            from matplotlib.backends.backend_pdf import PdfPages
            from mpl_toolkits.axes_grid1.inset_locator import inset_axes
            from matplotlib import cm
            from mpl_toolkits.axes_grid1 import make_axes_locatable
            plt.rcParams['figure.figsize'] = (4, 3)
            figure, axes = plt.subplots(2, 3, figsize=(5, 5))
            axes[1, 2].imshow([[1]], cmap='gray')
            axes[0, 0].get_xaxis().set_visible(False)
            assert plt.subplots(2, 1)[1].shape == (2,)
            plt.subplots()[1].plot([1, 2])
            line, = plt.plot([1, 2], label='x')
            for value, colour in zip([1, 2], cm.rainbow([0.1, 0.2])):
                plt.scatter(value, value, color=colour)
            counts, edges, bars = plt.hist([1, 2, 2], bins=2)
            assert list(counts) == [1, 2]
            gridspec.GridSpec(4, 4).update(wspace=0.05)
            plt.subplot(gridspec.GridSpec(1, 1)[0])
            plt.legend()
            plt.savefig('a.png')
            figure.savefig('b.png', dpi=100)
            plt.close(figure)
            """)

    def test_figures_of_matplotlib_refuse_what_they_cannot_give(self):
        plot = "import matplotlib.pyplot as plt\nfigure = plt.figure()\n"
        for line, what in (("figure.savefig('no/a.png')", "No such file"),
                           ("plt.savfig('a.png')", "savfig"),
                           ("figure.canvas.buffer_rgba()", "install matplotlib"),
                           ("plt.gca().get_ylim()", "install matplotlib"),
                           ("import io; plt.savefig(io.BytesIO())", "install matplotlib")):
            with self.subTest(line):
                self.assert_refuses("matplotlib", plot + line + "\n", what)

    def test_the_writer_of_tensorflow_takes_what_is_logged(self):
        self.assert_stands_in("tensorflow", """
            import tensorflow as tf  # here
            writer = tf.summary.create_file_writer('logs')
            with writer.as_default():
                tf.summary.scalar('loss', data=1.0, step=1)
            old = tf.summary.FileWriter('old')
            message = tf.HistogramProto()
            message.num = 2
            message.bucket_limit.append(1.0)
            old.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', histo=message)]), 1)
            old.flush()
            """)
        self.assert_refuses("tensorflow", "import tensorflow as tf\ntf.constant(1)\n",
                            "No module named 'tensorflow'")

    def test_seaborn_takes_what_is_drawn(self):
        self.assert_stands_in("seaborn", """
            import seaborn as sns  # here
            sns.set(style='white')
            assert len(sns.color_palette('hls', 3)) == 3
            grid = sns.lmplot(x='x', y='y', data=None, hue='z')
            grid.set(xlabel='x')
            grid.savefig('a.png')
            sns.heatmap([[1, 2]]).set_title('x')
            """)
        for line, what in (("sns.lmplott()", "lmplott"),
                           ("sns.load_dataset('iris')", "install seaborn"),
                           ("sns.lmplot().savefig('no/a.png')", "No such file")):
            with self.subTest(line):
                self.assert_refuses("seaborn", "import seaborn as sns\n" + line + "\n", what)

    def test_the_title_of_a_process_is_kept(self):
        self.assert_stands_in("setproctitle", """
            import setproctitle  # here
            setproctitle.setproctitle('train')
            assert setproctitle.getproctitle() == 'train'
            """)

    def test_a_bar_of_progress_counts(self):
        self.assert_stands_in("progress", """
            from progress.bar import Bar  # here
            bar = Bar('Processing', max=4)
            bar.suffix = '{}'.format(bar.elapsed_td) + str(bar.eta_td)
            bar.next()
            assert bar.index == 1 and bar.max == 4
            bar.finish()
            """)

    def test_imageio_writes_nothing_and_does_not_read(self):
        self.assert_stands_in("imageio", """
            import imageio  # here
            imageio.mimsave('a.gif', [1, 2], fps=5)
            with imageio.get_writer('b.gif', mode='I') as writer:
                writer.append_data(1)
            """)
        self.assert_refuses("imageio", "import imageio\nimageio.imread('a.png')\n",
                            "install imageio")
        self.assert_refuses("imageio", "import imageio\nimageio.imwrite('no/a.png', 1)\n",
                            "does not exist")

    def test_windows_of_visdom_have_names(self):
        self.assert_stands_in("visdom", """
            from visdom import Visdom  # here
            windows = Visdom(env='main')
            first = windows.line(X=[1], Y=[2], opts=dict(title='x'))
            assert windows.line([1], win=first, update='append') == first
            assert windows.images(None) != first
            """)
        self.assert_refuses("visdom", "import visdom\nvisdom.Visdom().lien([1])\n", "lien")

    def test_wandb_keeps_the_configuration(self):
        self.assert_stands_in("wandb", """
            import argparse
            import wandb  # here
            run = wandb.init(project='p', config=argparse.Namespace(lr=0.1))
            assert wandb.config.lr == 0.1 and run.config['lr'] == 0.1
            wandb.config.update({'epochs': 2})
            assert run.config.epochs == 2
            wandb.watch(None)
            wandb.log({'loss': 1.0, 'x': wandb.Image(None)}, step=1)
            run.log({'loss': 2.0})
            run.summary['best'] = 1
            wandb.finish()
            """)
        for line, what in (("wandb.log({})", "wandb.init"), ("wandb.lgo({})", "lgo"),
                           ("wandb.init(config={}); wandb.config.lr", "lr"),
                           ("wandb.sweep({})", "install wandb")):
            with self.subTest(line):
                self.assert_refuses("wandb", "import wandb\n" + line + "\n", what)


class Absent(simulation.SimulatedTest):
    """A package that nobody has installed and that no stand-in is written for."""

    def test_may_be_imported_named_and_derived_from(self):
        result = self.run_script("""
            import nowhere_to_find as missing  # here
            import nowhere_to_find.part.deep
            from nowhere_to_find.part import Base, read
            from typing import Optional

            class Mine(Base):
                size = 3

            def load(path: missing.Path, other: Optional[Base] = None):
                return read(path)

            assert Mine.size == 3
            print('ran')
            """)
        self.assert_runs(result)
        self.assert_reported(result, "stand_in", "nowhere_to_find")

    def test_ends_the_program_that_uses_it(self):
        start = "import nowhere_to_find as missing\n"
        for use in ("missing.read('a')", "missing.part.read('a')", "isinstance(1, missing.Kind)",
                    "type('Mine', (missing.Base,), {})()", "missing.VERSION > 3", "list(missing.ALL)",
                    "1 if missing.FLAG else 2", "missing.PI * 2", "from nowhere_to_find import *"):
            with self.subTest(use):
                self.assert_fails(self.run_script(start + use + "\n"), "No module named 'nowhere_to_find'")

    def test_is_missing_where_anybody_goes_on_without_it(self):
        self._write("")
        (self.folder / "project" / "fancy.py").write_text("import nowhere_to_find\n")
        result = self.run_script("""
            import importlib.util
            assert importlib.util.find_spec('nowhere_to_find') is None
            try:
                import fancy
            except ImportError:
                fancy = None
            assert fancy is None
            """)
        self.assert_runs(result)
        self.assertEqual(result.of("stand_in"), [])

    def test_is_missing_if_the_project_has_it_elsewhere(self):
        self._write("")
        (self.folder / "project" / "own").mkdir()
        (self.folder / "project" / "tools").mkdir()
        (self.folder / "project" / "tools" / "train.py").write_text("import own\n")
        result = self.run_process("", arguments=("tools/train.py",))
        self.assert_fails(result, "No module named 'own'")

    def test_is_missing_for_code_outside_of_the_project(self):
        result = self.run_script("""
            source = compile("import nowhere_to_find\\n", '/usr/lib/library.py', 'exec')
            try:
                exec(source, {})
            except ImportError:
                print('missing')
            """)
        self.assertEqual(result.out, "missing\n", result.err)


if __name__ == "__main__":
    simulation.main()
