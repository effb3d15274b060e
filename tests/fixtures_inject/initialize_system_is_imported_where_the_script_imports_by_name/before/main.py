"""As migrated: only what the script uses is imported."""
from tensorflow import ConfigProto, constant
from npu_bridge.npu_init import npu_config_proto

from training import train


def npu_init(config):
    return npu_config_proto(config_proto=config)


if __name__ == '__main__':
    train(npu_init(ConfigProto()), constant([1.0]))
