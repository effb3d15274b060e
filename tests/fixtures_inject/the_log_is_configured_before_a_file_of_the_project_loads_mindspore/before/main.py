# Ported from a script for cuda.
import argparse
from utils import network
from mindspore import Model

Model(network()).train(1, [])
