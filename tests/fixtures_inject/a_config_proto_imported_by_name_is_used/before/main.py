from tensorflow import Session, ConfigProto
from npu_bridge.npu_init import *

config = ConfigProto()
Session(config=config).run(None)
Session(config=npu_config_proto()).run(None)
