import os
import sys

from trainer import Trainer


def main(steps):
    Trainer().train(steps)


if __name__ == '__main__':
    print('trains')
    os.environ['ASCEND_GLOBAL_LOG_LEVEL'] = '3'
    main(len(sys.argv))
