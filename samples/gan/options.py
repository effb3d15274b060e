# SPDX-License-Identifier: Apache-2.0
"""Command line of gan.py."""
import argparse
import random


def build_parser():
  p = argparse.ArgumentParser(
    description='A small convolutional GAN on generated pictures of discs and squares.',
    epilog='Without --cuda everything runs on the CPU.')
  # networks
  p.add_argument('--nz', type=int, default=64, help='length of the noise vector')
  p.add_argument('--ngf', type=int, default=32, help='width of the generator')
  p.add_argument('--ndf', type=int, default=32, help='width of the discriminator')
  p.add_argument('--image-size', type=int, default=32, help='16, 32 or 64')
  # training
  p.add_argument('--niter', type=int, default=25, help='number of passes over the pictures')
  p.add_argument('--pictures', type=int, default=4096, help='number of generated pictures')
  p.add_argument('--batch-size', type=int, default=64)
  p.add_argument('--lr-g', type=float, default=2e-4, help='learning rate of the generator')
  p.add_argument('--lr-d', type=float, default=2e-4, help='learning rate of the discriminator')
  p.add_argument('--beta1', type=float, default=0.5, help='beta1 of both Adam optimizers')
  p.add_argument('--d-steps', type=int, default=1, help='discriminator steps for one of the generator')
  p.add_argument('--manual-seed', type=int, help='default: a random one, which is printed')
  # devices
  p.add_argument('--cuda', action='store_true', help='use the GPU (cuda:0 unless --gpu-ids says otherwise)')
  p.add_argument('--ngpu', type=int, default=1, help='number of GPUs, more than one means DataParallel')
  p.add_argument('--gpu-ids', default='', help="for example '0,2'; overrides --ngpu")
  p.add_argument('--pin', action='store_true', help='pinned host memory, quicker copies to a CUDA device')
  # output
  p.add_argument('--outf', default='', help='folder for pictures and checkpoints, nothing is written without it')
  p.add_argument('--net-g', default='', help='generator checkpoint to start from')
  p.add_argument('--net-d', default='', help='discriminator checkpoint to start from')
  p.add_argument('--log-every', type=int, default=10)
  p.add_argument('--steps', type=int, default=0, help='stop after so many generator steps, 0: never')
  return p


def parse(argv=None):
  opt = build_parser().parse_args(argv)
  if opt.image_size not in (16, 32, 64):
    raise SystemExit('--image-size must be 16, 32 or 64')
  if opt.batch_size < 2:
    raise SystemExit('--batch-size must be at least 2, batch norm needs it')
  if opt.gpu_ids:
    opt.gpu_ids = [int(n) for n in opt.gpu_ids.split(',')]
    opt.ngpu = len(opt.gpu_ids)
  else:
    opt.gpu_ids = list(range(opt.ngpu))
  if opt.manual_seed is None:
    opt.manual_seed = random.randint(1, 10000)
  return opt
