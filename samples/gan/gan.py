#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train a GAN with two optimizers, on the CPU or with --cuda on one or more GPUs."""
import os
import random
import sys
import time

import torch
import torch.backends.cudnn
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

import networks
import options


def note(text):
	sys.stderr.write(text + '\n')


def use_cuda(opt):
	"""True if --cuda was given and this machine can do it."""
	if opt.cuda and not torch.cuda.is_available():
		note('--cuda was given, but there is no usable GPU: running on the CPU')
		return False
	if torch.cuda.is_available() and not opt.cuda:
		note('this machine has a CUDA device, run with --cuda to use it')
	if opt.cuda and max(opt.gpu_ids) >= torch.cuda.device_count():
		raise SystemExit('--ngpu/--gpu-ids: there are only %d GPUs' % torch.cuda.device_count())
	return opt.cuda


def seed_all(seed, cuda):
	random.seed(seed)
	torch.manual_seed(seed)
	if cuda:
		torch.cuda.manual_seed_all(seed)
	torch.backends.cudnn.benchmark = True


def draw_pictures(count, size, seed):
	"""Half discs, half squares, at random places, white (1) on black (-1), with a little noise."""
	dice = torch.Generator().manual_seed(seed)
	place = torch.rand(count, 2, 1, 1, generator=dice) * 0.4 + 0.3
	radius = torch.rand(count, 1, 1, generator=dice) * 0.1 + 0.15
	axis = (torch.arange(size, dtype=torch.float32) + 0.5) / size
	dy = (axis.view(1, size, 1) - place[:, 0]).abs()
	dx = (axis.view(1, 1, size) - place[:, 1]).abs()
	disc = (dx * dx + dy * dy) < radius * radius
	square = torch.maximum(dx, dy) < radius * 0.85
	is_disc = (torch.arange(count) % 2 == 0).view(-1, 1, 1)
	picture = torch.where(is_disc, disc, square).float() * 2.0 - 1.0
	picture = picture + 0.05 * torch.randn(picture.shape, generator=dice)
	return picture.clamp(-1.0, 1.0).unsqueeze(1)


def write_sheet(path, pictures, columns=8):
	"""Pictures side by side as a PGM file, which needs no imaging library."""
	pictures = pictures.detach().cpu()
	missing = -len(pictures) % columns
	if missing:
		pictures = torch.cat([pictures, pictures.new_full((missing,) + pictures.shape[1:], -1.0)])
	count, _, height, width = pictures.shape
	sheet = pictures.view(count // columns, columns, height, width).permute(0, 2, 1, 3)
	sheet = sheet.reshape(count // columns * height, columns * width)
	grey = ((sheet + 1.0) * 127.5).round().clamp(0, 255).to(torch.uint8)
	with open(path, 'wb') as out:
		out.write(b'P5 %d %d 255\n' % (sheet.size(1), sheet.size(0)))
		out.write(bytes(grey.flatten().tolist()))


class Gan:
	def __init__(self, opt):
		self.opt = opt
		self.cuda = use_cuda(opt)
		seed_all(opt.manual_seed, self.cuda)
		if self.cuda:
			torch.cuda.set_device(opt.gpu_ids[0])
			names = [torch.cuda.get_device_name(n) for n in opt.gpu_ids]
			note('using %d GPU(s): %s' % (len(names), ', '.join(names)))
		self.Tensor = torch.cuda.FloatTensor if self.cuda else torch.FloatTensor

		net_g = networks.Generator(opt.nz, opt.ngf, opt.image_size)
		net_d = networks.Discriminator(opt.ndf, opt.image_size)
		if opt.net_g:
			networks.load_weights(net_g, opt.net_g)
		if opt.net_d:
			networks.load_weights(net_d, opt.net_d)
		self.net_g = networks.place(net_g, self.cuda, opt.gpu_ids)
		self.net_d = networks.place(net_d, self.cuda, opt.gpu_ids)
		assert networks.on_gpu(self.net_g) == self.cuda

		betas = (opt.beta1, 0.999)
		self.opt_g = torch.optim.Adam(self.net_g.parameters(), lr=opt.lr_g, betas=betas)
		self.opt_d = torch.optim.Adam(self.net_d.parameters(), lr=opt.lr_d, betas=betas)
		self.criterion = nn.BCEWithLogitsLoss()
		self.real_label = self.Tensor([1.0])
		self.fake_label = self.Tensor([0.0])
		if self.cuda:
			self.criterion.cuda()

		# always the same noise, so that the sheets of two epochs can be compared
		self.fixed_noise = torch.randn(16, opt.nz, 1, 1)
		if self.cuda:
			self.fixed_noise = self.fixed_noise.cuda()

	def noise(self, count):
		# filled on the host: the numbers do not depend on the device
		return torch.randn(count, self.opt.nz, 1, 1).type(self.Tensor)

	def judge(self, pictures, label):
		"""Loss of the discriminator's verdict on the pictures, and its mean probability of 'real'."""
		logits = self.net_d(pictures)
		return self.criterion(logits, label.expand_as(logits)), torch.sigmoid(logits).mean().item()

	def step_d(self, real):
		self.opt_d.zero_grad()
		loss_real, d_x = self.judge(real, self.real_label)
		loss_real.backward()
		fake = self.net_g(self.noise(real.size(0))).detach()
		loss_fake, d_g_z = self.judge(fake, self.fake_label)
		loss_fake.backward()
		self.opt_d.step()
		return loss_real.item() + loss_fake.item(), d_x, d_g_z

	def step_g(self, count):
		self.opt_g.zero_grad()
		loss, _ = self.judge(self.net_g(self.noise(count)), self.real_label)
		loss.backward()
		self.opt_g.step()
		return loss.item()

	def batches(self):
		opt = self.opt
		pictures = draw_pictures(opt.pictures, opt.image_size, opt.manual_seed)
		order = torch.Generator().manual_seed(opt.manual_seed)
		return DataLoader(
			TensorDataset(pictures), batch_size=opt.batch_size, shuffle=True, drop_last=True,
			generator=order, pin_memory=opt.pin and self.cuda)

	def train(self):
		opt = self.opt
		loader = self.batches()
		if len(loader) == 0:
			raise SystemExit('--pictures %d is less than one batch' % opt.pictures)
		done = 0
		for epoch in range(opt.niter):
			start = time.time()
			for i, (real,) in enumerate(loader):
				if self.cuda:
					real = real.cuda(non_blocking=True)
				loss_d, d_x, d_g_z = self.step_d(real)
				if (i + 1) % opt.d_steps:
					continue
				loss_g = self.step_g(real.size(0))
				done += 1
				if done % opt.log_every == 0 or done == 1:
					print('epoch %d step %d loss_d %.6f loss_g %.6f D(x) %.4f D(G(z)) %.4f'
						% (epoch, done, loss_d, loss_g, d_x, d_g_z), flush=True)
				if done == opt.steps:
					break
			if self.cuda:
				torch.cuda.synchronize()
			note('epoch %d took %.2f s' % (epoch, time.time() - start))
			self.end_of_epoch(epoch)
			if done == opt.steps:
				break

	@torch.no_grad()
	def end_of_epoch(self, epoch):
		self.net_g.eval()
		sheet = self.net_g(self.fixed_noise)
		self.net_g.train()
		sharpness = F.l1_loss(sheet.abs(), torch.ones_like(sheet)).item()
		print('epoch %d fixed noise: mean %.6f, distance from black/white %.6f'
			% (epoch, sheet.mean().item(), sharpness), flush=True)
		if not self.opt.outf:
			return
		os.makedirs(self.opt.outf, exist_ok=True)
		write_sheet(os.path.join(self.opt.outf, 'fake_%03d.pgm' % epoch), sheet)
		for name, net in (('net_g', self.net_g), ('net_d', self.net_d)):
			path = os.path.join(self.opt.outf, '%s_%03d.pth' % (name, epoch))
			torch.save(networks.unwrapped(net).state_dict(), path)


def main():
	opt = options.parse()
	print('seed %d' % opt.manual_seed)
	Gan(opt).train()


if __name__ == '__main__':
	main()
