from mindspore import Model
