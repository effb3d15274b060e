# SPDX-License-Identifier: Apache-2.0
"""apex.amp: everything stays in float32, and losses are not scaled. With combine_ddp, of the apex for
Ascend, gradients are added up over the processes."""

import contextlib

import torch

from .. import device, report

_combined = []  # the optimizers whose gradients are


def _check_places(models):
    for model in models:
        for name, parameter in model.named_parameters():
            if device.TYPE and parameter.is_floating_point() and parameter._simulated_index is None:
                raise report.violation(RuntimeError(
                    "amp.initialize: the parameter %s is on the CPU; move the model to the %s before"
                    % (name, device.TYPE)))


def initialize(models, optimizers=None, enabled=True, opt_level="O1", **options):
    """The models and optimizers as they are."""
    if opt_level not in ("O0", "O1", "O2", "O3"):
        raise RuntimeError("Unexpected optimization level %s" % opt_level)
    for name in ("combine_grad", "combine_ddp"):
        if name in options and device.TYPE == "cuda":
            raise TypeError("initialize() got an unexpected keyword argument %r" % name)
    for model in models if isinstance(models, (list, tuple)) else [models]:
        if isinstance(model, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
            raise RuntimeError("Incoming model is an instance of %s. Parallel wrapping should be "
                               "applied after amp.initialize." % type(model).__name__)
    if options.get("combine_ddp"):
        _combined.extend(optimizers if isinstance(optimizers, (list, tuple)) else [optimizers])
    if enabled:
        _check_places(models if isinstance(models, (list, tuple)) else [models])
        report.unsimulated("apex.amp (numerics of half precision: it runs in float32)")
    return models if optimizers is None else (models, optimizers)


@contextlib.contextmanager
def scale_loss(loss, optimizers, *args, **options):
    yield loss.float() if isinstance(loss, torch.Tensor) else loss
    for optimizer in optimizers if isinstance(optimizers, (list, tuple)) else [optimizers]:
        if any(optimizer is combined for combined in _combined):
            _average(list(master_params(optimizer)))


def _average(parameters):
    size = torch.distributed.get_world_size()
    for parameter in parameters:
        if parameter.grad is not None:
            torch.distributed.all_reduce(parameter.grad)
            parameter.grad /= size


@contextlib.contextmanager
def disable_casts():
    yield


def master_params(optimizer):
    for group in optimizer.param_groups:
        yield from group["params"]


def state_dict(destination=None):
    """Empty: nothing is scaled, so there is no scaler."""
    return {} if destination is None else destination


def load_state_dict(state):
    pass


def half_function(function):
    return function


float_function = promote_function = half_function


def register_half_function(module, name):
    pass


register_float_function = register_promote_function = register_half_function
