"""As migrated: only what the script uses is imported, and where it is used."""
from npu_bridge.npu_init import npu_config_proto


def export():
    from tensorflow import ConfigProto, Session
    with Session(config=npu_config_proto(config_proto=ConfigProto())) as sess:
        sess.run([])


def npu_init(config):
    return npu_config_proto(config_proto=config)


if __name__ == '__main__':
    import tensorflow.compat.v1 as tf
    from training import train
    train(npu_init(tf.ConfigProto()), tf.constant([1.0]))
    export()
