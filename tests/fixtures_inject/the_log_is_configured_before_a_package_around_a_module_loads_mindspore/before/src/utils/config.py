DEVICE = "Ascend"
