# SPDX-License-Identifier: Apache-2.0
"""Generator, discriminator and how they get onto the GPUs."""
import math

import torch
import torch.nn as nn


def init_weights(layer):
	kind = type(layer).__name__
	if kind.startswith('Conv'):
		nn.init.normal_(layer.weight, 0.0, 0.02)
	elif kind.startswith('BatchNorm'):
		nn.init.normal_(layer.weight, 1.0, 0.02)
		nn.init.zeros_(layer.bias)


class Generator(nn.Module):
	"""Noise of shape (n, nz, 1, 1) to one-channel pictures in [-1, 1]."""

	def __init__(self, nz, ngf, image_size):
		super().__init__()
		doublings = int(math.log2(image_size)) - 2	# the first layer makes 4 x 4
		width = ngf * 2 ** (doublings - 1)
		layers = [nn.ConvTranspose2d(nz, width, 4, 1, 0, bias=False), nn.BatchNorm2d(width), nn.ReLU(True)]
		for _ in range(doublings - 1):
			layers += [
				nn.ConvTranspose2d(width, width // 2, 4, 2, 1, bias=False),
				nn.BatchNorm2d(width // 2),
				nn.ReLU(True),
			]
			width //= 2
		layers += [nn.ConvTranspose2d(width, 1, 4, 2, 1, bias=False), nn.Tanh()]
		self.body = nn.Sequential(*layers)
		self.apply(init_weights)

	def forward(self, noise):
		return self.body(noise)


class Discriminator(nn.Module):
	"""Pictures to one logit each: positive means 'looks real'."""

	def __init__(self, ndf, image_size):
		super().__init__()
		layers = [nn.Conv2d(1, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)]
		size, width = image_size // 2, ndf
		while size > 4:
			layers += [
				nn.Conv2d(width, width * 2, 4, 2, 1, bias=False),
				nn.BatchNorm2d(width * 2),
				nn.LeakyReLU(0.2, inplace=True),
			]
			size, width = size // 2, width * 2
		layers += [nn.Conv2d(width, 1, 4, 1, 0, bias=False)]
		self.body = nn.Sequential(*layers)
		self.apply(init_weights)

	def forward(self, picture):
		return self.body(picture).view(-1)


def place(net, cuda, gpu_ids):
	"""Move a network to the first GPU and spread it over all of them if there are several."""
	if not cuda:
		return net
	net = net.cuda(gpu_ids[0])
	if len(gpu_ids) > 1:
		net = nn.DataParallel(net, device_ids=gpu_ids)
	return net


def unwrapped(net):
	return net.module if isinstance(net, nn.DataParallel) else net


def load_weights(net, path):
	"""The file may come from a GPU; it is read on the CPU, the network moves later."""
	net.load_state_dict(torch.load(path, map_location=lambda storage, loc: storage))
	return net


def on_gpu(net):
	return next(net.parameters()).is_cuda
