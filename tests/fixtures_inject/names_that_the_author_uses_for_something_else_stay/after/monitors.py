class LossMonitor:
    def __init__(self, name, lr):
        self.name = name
        self.lr = lr
