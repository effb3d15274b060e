import requests
from sklearn.model_selection import GridSearchCV
import tensorflow as tf
from npu_bridge.npu_init import *


def download(url):
    session = requests.Session()
    return session.get(url)


class Session(object):
    def __init__(self, config=None):
        self.config = config


def fit():
    return GridSearchCV(None, {}), Session()


with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.constant(1))
