from mindspore import nn

context = "words around a word"
