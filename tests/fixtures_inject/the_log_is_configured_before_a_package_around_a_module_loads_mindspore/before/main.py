import argparse
from src.utils.config import DEVICE
import mindspore.nn as nn
from mindspore import context

context.set_context(mode=context.GRAPH_MODE, device_target=DEVICE)

if __name__ == "__main__":
    network = nn.Cell()
