#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train an image classifier from torchvision on ImageNet.

Runs on one GPU, on all GPUs of a node (``--multiprocessing-distributed``), under
``torchrun`` (see run_ddp.sh) or, when CUDA is not there, slowly on the CPU.
With ``--dummy`` the images are generated, so that nothing has to be downloaded.

Losses go to stdout, progress and timing to stderr.
"""
import argparse
import os
import random
import shutil
import sys
import time
import warnings
from dataclasses import dataclass

import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, models, transforms

CHANNEL_MEAN = (0.485, 0.456, 0.406)
CHANNEL_STD = (0.229, 0.224, 0.225)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="ImageNet training on CUDA GPUs")
    data = parser.add_argument_group("data")
    data.add_argument("data", nargs="?", default="/data/imagenet", help="folder with train/ and val/")
    data.add_argument("--dummy", action="store_true", help="generate images instead of reading them")
    data.add_argument("--dummy-size", type=int, default=1024, metavar="N", help="number of generated images")
    data.add_argument("--image-size", type=int, default=224)
    data.add_argument("--num-classes", type=int, default=1000)
    data.add_argument("-j", "--workers", type=int, default=4, help="loader processes for each GPU")

    train = parser.add_argument_group("training")
    train.add_argument("-a", "--arch", default="resnet18", help="any classifier of torchvision.models")
    train.add_argument("--epochs", type=int, default=90)
    train.add_argument("-b", "--batch-size", type=int, default=256, help="over all GPUs of the node together")
    train.add_argument("--lr", type=float, default=0.1)
    train.add_argument("--momentum", type=float, default=0.9)
    train.add_argument("--wd", "--weight-decay", dest="weight_decay", type=float, default=1e-4)
    train.add_argument("--max-steps", type=int, default=0, help="stop an epoch after so many steps, 0: never")
    train.add_argument("--print-freq", type=int, default=10)
    train.add_argument("--seed", type=int, help="makes cuDNN deterministic, which costs speed")
    train.add_argument("--channels-last", action="store_true", help="NHWC memory, faster on tensor cores")
    train.add_argument("--evaluate", action="store_true", help="only run the validation")
    train.add_argument("--resume", metavar="FILE", help="checkpoint to go on from")
    train.add_argument("--output", default=".", help="folder for checkpoint.pth.tar; 'none' writes nothing")

    device = parser.add_argument_group("devices")
    device.add_argument("--gpu", type=int, help="id of the only GPU to use, for example 0 for cuda:0")
    device.add_argument("--sync-bn", action="store_true", help="synchronised batch norm (GPU only)")
    device.add_argument("--dist-backend", default="nccl", choices=["nccl", "gloo"])
    device.add_argument("--dist-url", default="tcp://127.0.0.1:23456")
    device.add_argument("--world-size", type=int, default=1, help="number of nodes")
    device.add_argument("--rank", type=int, default=0, help="rank of this node")
    device.add_argument(
        "--multiprocessing-distributed",
        action="store_true",
        help="start one process for each GPU of this node",
    )
    return parser.parse_args(argv)


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    cudnn.deterministic = True
    warnings.warn("A seed was given: cuDNN runs in deterministic mode, GPU training can be much slower.")


# ---------------------------------------------------------------- processes and devices


def setup_distributed(args, local_rank):
    """Join the process group. Fills in args.gpu, args.rank and args.world_size."""
    if args.dist_backend == "nccl" and not torch.cuda.is_available():
        log("nccl needs CUDA devices, using gloo")
        args.dist_backend = "gloo"
    if torch.cuda.is_available():
        args.gpu = local_rank
        torch.cuda.set_device(args.gpu)  # before the first collective, or every rank sits on GPU 0
    dist.init_process_group(
        backend=args.dist_backend, init_method=args.dist_url, world_size=args.world_size, rank=args.rank
    )
    dist.barrier()


def select_device(args):
    if not torch.cuda.is_available():
        if args.gpu is not None:
            log(f"--gpu {args.gpu} was asked for, but CUDA is not available")
        log("training on the CPU, this will be slow")
        return torch.device("cpu")
    if args.gpu is None:
        return torch.device("cuda")
    torch.cuda.set_device(args.gpu)
    log(f"using GPU {args.gpu} ({torch.cuda.get_device_name(args.gpu)})")
    return torch.device("cuda", args.gpu)


def place_model(model, device, args):
    """Move the model to its device and wrap it for the kind of parallelism chosen."""
    if args.channels_last:
        model = model.to(memory_format=torch.channels_last)
    if args.distributed:
        if args.sync_bn and device.type == "cuda":
            model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
        if device.type != "cuda":
            return DDP(model)
        model.cuda(args.gpu)
        return DDP(model, device_ids=[args.gpu], output_device=args.gpu)
    if device.type == "cuda" and args.gpu is None and torch.cuda.device_count() > 1:
        log(f"DataParallel over {torch.cuda.device_count()} GPUs")
        return nn.DataParallel(model).cuda()
    return model.to(device)


def bare(model):
    return model.module if isinstance(model, (DDP, nn.DataParallel)) else model


# ---------------------------------------------------------------- data


class GeneratedImages(Dataset):
    """Noise with one brighter stripe per class; the same index always gives the same image."""

    def __init__(self, length, image_size, num_classes, first_seed):
        self.length = length
        self.image_size = image_size
        self.num_classes = num_classes
        self.first_seed = first_seed

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if not 0 <= index < self.length:
            raise IndexError(index)
        generator = torch.Generator().manual_seed(self.first_seed + index)
        image = torch.randn(3, self.image_size, self.image_size, generator=generator)
        target = index % self.num_classes
        row = target * self.image_size // self.num_classes
        image[target % 3, row : row + 2] += 2.0
        return image, target


def make_datasets(args):
    if args.dummy:
        held_out = max(args.dummy_size // 4, 1)
        return (
            GeneratedImages(args.dummy_size, args.image_size, args.num_classes, first_seed=0),
            GeneratedImages(held_out, args.image_size, args.num_classes, first_seed=10**6),
        )
    to_input = [transforms.ToTensor(), transforms.Normalize(CHANNEL_MEAN, CHANNEL_STD)]
    augment = [transforms.RandomResizedCrop(args.image_size), transforms.RandomHorizontalFlip()]
    crop = [transforms.Resize(args.image_size * 8 // 7), transforms.CenterCrop(args.image_size)]
    return (
        datasets.ImageFolder(os.path.join(args.data, "train"), transforms.Compose(augment + to_input)),
        datasets.ImageFolder(os.path.join(args.data, "val"), transforms.Compose(crop + to_input)),
    )


def make_loaders(args, device):
    train_set, val_set = make_datasets(args)
    sampler = DistributedSampler(train_set, seed=args.seed or 0) if args.distributed else None
    val_sampler = DistributedSampler(val_set, shuffle=False) if args.distributed else None
    shared = dict(batch_size=args.batch_size, num_workers=args.workers, pin_memory=device.type == "cuda")
    order = torch.Generator() if args.seed is not None else None
    train_loader = DataLoader(
        train_set, shuffle=sampler is None, sampler=sampler, drop_last=True, generator=order, **shared
    )
    val_loader = DataLoader(val_set, sampler=val_sampler, **shared)
    return train_loader, val_loader


def reshuffle(loader, epoch, seed):
    """Give every epoch its own order, the same one after a resume."""
    if isinstance(loader.sampler, DistributedSampler):
        loader.sampler.set_epoch(epoch)
    elif seed is not None:
        loader.generator.manual_seed(seed + epoch)


# ---------------------------------------------------------------- metrics


class AverageMeter:
    """Running average of a number, weighted by the size of the batch it comes from."""

    def __init__(self, name, unit=""):
        self.name = name
        self.unit = unit
        self.last = 0.0
        self.total = 0.0
        self.weight = 0

    @property
    def average(self):
        return self.total / self.weight if self.weight else 0.0

    def add(self, value, weight=1):
        self.last = value
        self.total += value * weight
        self.weight += weight

    def sum_over_ranks(self, device):
        both = torch.tensor([self.total, self.weight], dtype=torch.float32, device=device)
        dist.all_reduce(both, op=dist.ReduceOp.SUM)
        self.total, self.weight = both[0].item(), int(both[1].item())

    def __str__(self):
        return f"{self.name} {self.last:.4f}{self.unit} (mean {self.average:.4f})"


class ProgressMeter:
    """One line on stderr every few steps."""

    def __init__(self, title, steps, every, meters):
        self.title = title
        self.steps = steps
        self.every = max(every, 1)
        self.meters = meters

    def show(self, step, is_main):
        if is_main and step % self.every == 0:
            width = len(str(self.steps))
            columns = [f"{self.title} {step:>{width}}/{self.steps}"] + [str(m) for m in self.meters]
            log(" | ".join(columns))


@dataclass
class Scores:
    loss: float
    top1: float
    top5: float


@torch.no_grad()
def accuracy(logits, target, ks=(1, 5)):
    """Percentage of rows whose target is among the k best classes, for each k."""
    deepest = min(max(ks), logits.size(1))
    best = logits.topk(deepest, dim=1).indices
    hit = best == target.unsqueeze(1)
    return [hit[:, :k].any(dim=1).float().mean().item() * 100.0 for k in ks]


# ---------------------------------------------------------------- the two loops


def run_epoch(title, loader, model, criterion, device, args, optimizer=None):
    """Go through the loader once. Trains when there is an optimizer, otherwise only measures."""
    training = optimizer is not None
    model.train(training)
    limit = min(len(loader), args.max_steps or len(loader))
    seconds = AverageMeter("step", "s")
    loss_meter, top1, top5 = AverageMeter("loss"), AverageMeter("acc@1"), AverageMeter("acc@5")
    progress = ProgressMeter(title, limit, args.print_freq, [seconds, loss_meter, top1, top5])

    start = time.perf_counter()
    with torch.set_grad_enabled(training):
        for step, (images, target) in enumerate(loader, start=1):
            if device.type == "cuda":
                images = images.cuda(args.gpu, non_blocking=True)
                target = target.cuda(args.gpu, non_blocking=True)
            if args.channels_last:
                images = images.contiguous(memory_format=torch.channels_last)
            logits = model(images)
            loss = criterion(logits, target)
            if training:
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()

            batch = images.size(0)
            at1, at5 = accuracy(logits, target)
            loss_meter.add(loss.item(), batch)
            top1.add(at1, batch)
            top5.add(at5, batch)
            seconds.add(time.perf_counter() - start)
            start = time.perf_counter()
            progress.show(step, args.is_main)
            if step == limit:
                break

    if args.distributed:
        for meter in (loss_meter, top1, top5):
            meter.sum_over_ranks(device)
    if device.type == "cuda" and args.is_main:
        peak = torch.cuda.max_memory_allocated(device) / 2**20
        log(f"{title}: peak GPU memory {peak:.0f} MiB")
        torch.cuda.reset_peak_memory_stats(device)
    return Scores(loss_meter.average, top1.average, top5.average)


# ---------------------------------------------------------------- checkpoints


def save_checkpoint(folder, state, is_best):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "checkpoint.pth.tar")
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)
    if is_best:
        shutil.copyfile(path, os.path.join(folder, "model_best.pth.tar"))


def load_checkpoint(path, model, optimizer, scheduler, args):
    """Returns the epoch to start with and the best accuracy so far."""
    if not os.path.isfile(path):
        raise SystemExit(f"--resume {path}: there is no such file")
    if not torch.cuda.is_available():
        location = "cpu"
    elif args.gpu is None:
        location = "cuda"
    else:
        location = f"cuda:{args.gpu}"  # not where it was saved, that may be a GPU we do not have
    checkpoint = torch.load(path, map_location=location)
    if checkpoint["arch"] != args.arch:
        raise SystemExit(f"--resume {path}: holds a {checkpoint['arch']}, not a {args.arch}")
    bare(model).load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    log(f"resumed from {path}, epoch {checkpoint['epoch']}")
    return checkpoint["epoch"], checkpoint["best_top1"]


# ---------------------------------------------------------------- a worker and its start


def run_worker(local_rank, gpus_per_node, args):
    if args.multiprocessing_distributed:
        args.rank = args.rank * gpus_per_node + local_rank
    if args.seed is not None:
        seed_everything(args.seed)  # the same weights on every rank
    else:
        cudnn.benchmark = True
    if args.distributed:
        setup_distributed(args, local_rank)
        args.batch_size = max(args.batch_size // gpus_per_node, 1)
    args.is_main = args.rank == 0
    device = select_device(args)

    model = getattr(models, args.arch)(num_classes=args.num_classes)
    model = place_model(model, device, args)
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(
        model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.weight_decay
    )
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
    start_epoch, best_top1 = 0, 0.0
    if args.resume:
        start_epoch, best_top1 = load_checkpoint(args.resume, model, optimizer, scheduler, args)
    train_loader, val_loader = make_loaders(args, device)

    if args.evaluate:
        val = run_epoch("val", val_loader, model, criterion, device, args)
        if args.is_main:
            print(f"val loss {val.loss:.6f} acc@1 {val.top1:.2f} acc@5 {val.top5:.2f}", flush=True)
        start_epoch = args.epochs
    for epoch in range(start_epoch, args.epochs):
        reshuffle(train_loader, epoch, args.seed)
        train = run_epoch(f"epoch {epoch}", train_loader, model, criterion, device, args, optimizer)
        val = run_epoch("val", val_loader, model, criterion, device, args)
        scheduler.step()
        is_best = val.top1 > best_top1
        best_top1 = max(best_top1, val.top1)
        if not args.is_main:
            continue
        print(
            f"epoch {epoch} train loss {train.loss:.6f} acc@1 {train.top1:.2f} "
            f"val loss {val.loss:.6f} acc@1 {val.top1:.2f} acc@5 {val.top5:.2f}",
            flush=True,
        )
        if args.output != "none":
            state = {
                "epoch": epoch + 1,
                "arch": args.arch,
                "model": bare(model).state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "best_top1": best_top1,
            }
            save_checkpoint(args.output, state, is_best)
    if args.distributed:
        dist.destroy_process_group()


def main():
    args = parse_args()
    gpus_per_node = torch.cuda.device_count() if torch.cuda.is_available() else 1
    if "LOCAL_RANK" in os.environ:  # started by torchrun, which has made the processes already
        args.distributed = True
        args.multiprocessing_distributed = False
        args.dist_url = "env://"
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ["WORLD_SIZE"])
        run_worker(int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"]), args)
        return
    args.distributed = args.multiprocessing_distributed or args.world_size > 1
    if args.gpu is not None and args.multiprocessing_distributed:
        warnings.warn("--gpu is ignored: every GPU of the node gets a process of its own.")
    if args.multiprocessing_distributed:
        args.world_size *= gpus_per_node
        mp.spawn(run_worker, nprocs=gpus_per_node, args=(gpus_per_node, args))
    else:
        run_worker(args.gpu or 0, 1, args)


if __name__ == "__main__":
    main()
