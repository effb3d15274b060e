# SPDX-License-Identifier: Apache-2.0
"""torch, as far as scripts that train need it."""

import functools
import sys
import types

from debug_stand_in import (Anything, Module, Optimizer, Recorder, Tensor, event,
                            recorded_context)


def _module(name, **members):
    module = types.ModuleType(f"torch.{name}")
    vars(module).update(members)
    sys.modules[module.__name__] = module
    module.__path__ = []
    return module


def randn(*_, **__):
    return Tensor()


class _Scaler(Anything):
    def scale(self, loss):
        return loss

    def step(self, optimizer):
        optimizer.step()


class _Npu(Recorder):
    def profile(self, *arguments, **keywords):
        return recorded_context("torch.npu.profile", *arguments, **keywords)

    def profileConfig(self, **keywords):  # noqa: N802  the vendor's name
        return {"profileConfig": keywords}


zeros = ones = tensor = relu = randn
no_grad = device = manual_seed = save = load = Anything
npu = _Npu("torch.npu")
cuda = _module("cuda", amp=_module("cuda.amp", GradScaler=_Scaler, autocast=Anything),
               is_available=lambda: False)
functional = _module("nn.functional", **dict.fromkeys(
    ("relu", "cross_entropy", "mse_loss", "softmax"), lambda *_, **__: Tensor()))
nn = _module("nn", Module=Module, Linear=Module, Sequential=Module, CrossEntropyLoss=Module,
             MSELoss=Module, functional=functional,
             parallel=_module("nn.parallel", DistributedDataParallel=lambda model, **_: model))
optim = _module("optim", SGD=Optimizer, Adam=Optimizer, AdamW=Optimizer, lr_scheduler=_module(
    "optim.lr_scheduler", StepLR=Anything, CosineAnnealingLR=Anything))
data = _module("utils.data", DataLoader=lambda dataset, **_: list(dataset), Dataset=object)
utils = _module("utils", data=data, dumper=functools.partial(recorded_context,
                                                             "torch.utils.dumper"))
profiler = _module("autograd.profiler", profile=functools.partial(
    recorded_context, "torch.autograd.profiler.profile"))
autograd = _module("autograd", profiler=profiler, Function=object)
distributed = _module("distributed", get_rank=lambda: 0, init_process_group=Anything())
