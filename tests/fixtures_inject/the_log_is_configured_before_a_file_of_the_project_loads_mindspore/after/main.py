# Ported from a script for cuda.
import argparse
# transplt-inject: begin log
import os
os.environ["GLOG_v"] = "1"
# transplt-inject: end
from utils import network
from mindspore import Model

Model(network()).train(1, [])
