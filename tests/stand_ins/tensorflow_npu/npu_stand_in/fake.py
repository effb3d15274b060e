# SPDX-License-Identifier: Apache-2.0
"""A permissive object: it can be called, indexed, computed with, unpacked and subclassed."""

import dis
import os
import sys
import types

from npu_stand_in import record

UNPACK = {"UNPACK_SEQUENCE"}
DECORATORS = {"function", "custom_gradient", "add_arg_scope", "RegisterGradient", "NoGradient",
              "do_not_convert", "register_keras_serializable", "recompute_grad", "defun",
              "contextmanager", "tf_export", "keras_export", "deprecated", "load_npu_ops"}


class Fake:
    """Stands for anything of TensorFlow that nothing has to be known about."""

    def __init__(self, path, truth=True, decorates=False):
        self.__dict__.update(stand_in_path=path, stand_in_truth=truth, stand_in_decorates=decorates)

    @property
    def stand_in_name(self):
        return self.stand_in_path

    @property
    def __name__(self):
        return self.stand_in_path.rsplit(".", 1)[-1]

    def __getattr__(self, name):
        if name.startswith("__") or name.startswith("_ipython"):
            raise AttributeError(name)
        value = Fake(f"{self.stand_in_path}.{name}")
        self.__dict__[name] = value
        return value

    def __call__(self, *arguments, **keywords):
        name = self.stand_in_path.rsplit(".", 1)[-1]
        if len(arguments) == 1 and isinstance(arguments[0], (types.FunctionType, type)) and (
                self.stand_in_decorates or name in DECORATORS):
            return arguments[0]
        if name in os.environ.get("TRANSPLT_RECORD_TF", "").split(","):
            record.event("tf", name=self.stand_in_path, arguments=record.describe(arguments),
                         keywords=record.describe(keywords))
        if name == "should_stop":
            return stops_after_three(self)
        inner = ",".join(str(record.describe(a)) for a in arguments if isinstance(a, Fake))
        return Fake(f"{self.stand_in_path}({inner})"[:200], decorates=name in DECORATORS)

    def __mro_entries__(self, bases):
        return (Base,)

    def __instancecheck__(self, value):
        return False

    def __subclasscheck__(self, value):
        return False

    def __iter__(self):
        return iter([Fake(f"{self.stand_in_path}[{index}]") for index in range(wanted_items())])

    def __getitem__(self, key):
        return Fake(f"{self.stand_in_path}[]")

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __contains__(self, item):
        return False

    def __len__(self):
        return 1

    def __bool__(self):
        return self.stand_in_truth

    def __int__(self):
        return 1

    def __index__(self):
        return 1

    def __float__(self):
        return 0.5

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __await__(self):
        return iter(())

    def __format__(self, specification):
        try:
            return format(0.5, specification) if specification else str(self)
        except ValueError:
            try:
                return format(1, specification)
            except ValueError:
                return format("value", specification)

    def __str__(self):
        return f"<{self.stand_in_path}>"

    __repr__ = __str__

    def __array__(self, dtype=None):
        import numpy
        return numpy.full((1, 1), 0.5, dtype or numpy.float32)

    __array_priority__ = 1000  # array * fake is asked of the fake


def stops_after_three(loop):
    count = loop.__dict__.get("stand_in_asked", 0) + 1
    loop.__dict__["stand_in_asked"] = count
    return count > 3


def wanted_items():
    """How many items the code that iterates takes: the number of names it unpacks into, or one."""
    frame = sys._getframe(2)
    instruction = frame.f_code.co_code[frame.f_lasti]
    if dis.opname[instruction] in UNPACK:
        return frame.f_code.co_code[frame.f_lasti + 1]
    return 1


def arithmetic(name):
    def operation(self, *others):
        return Fake(f"{name}({self.stand_in_path})"[:200])
    return operation


def comparison(self, other):
    return Fake(f"compared({self.stand_in_path})"[:200], truth=False)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or",
              "xor", "lshift", "rshift"):
    for _prefix in ("", "r"):
        setattr(Fake, f"__{_prefix}{_name}__", arithmetic(_name))
for _name in ("neg", "pos", "abs", "invert", "round"):
    setattr(Fake, f"__{_name}__", arithmetic(_name))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Fake, f"__{_name}__", comparison)


class Base:
    """What a class of a script that derives from something of TensorFlow derives from here."""

    def __init__(self, *arguments, **keywords):
        pass

    def __call__(self, *arguments, **keywords):
        body = getattr(type(self), "call", None)
        return body(self, *arguments, **keywords) if body else Fake(f"{type(self).__name__}()")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Fake(f"{type(self).__name__}.{name}")
