import tensorflow as tf
from npu_bridge.npu_init import *
from hccl.manage.api import get_rank_id
from hccl.manage.api import get_rank_size


def main():
    rank_id = get_rank_id()
    rank_size = get_rank_size()
    dataset = tf.data.Dataset.range(8).shard(rank_size, rank_id)
    with tf.Session(config=npu_config_proto()) as sess:
        sess.run(tf.constant(1))


if __name__ == '__main__':
    main()
