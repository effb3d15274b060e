from .sessions import Trainer
