# SPDX-License-Identifier: Apache-2.0
"""Flags of tf.app and absl, and the start of a program through them."""

import collections
import sys

Flag = collections.namedtuple("Flag", "name value")
TRUE = {"true", "1", "yes", "t", ""}


class Values:
    """FLAGS: the defaults, and what the command line says."""

    def __init__(self):
        self.__dict__.update(stand_in_values={}, stand_in_types={}, stand_in_parsed=False)

    def define(self, kind, name, default):
        self.stand_in_values[name] = default
        self.stand_in_types[name] = kind

    def __call__(self, argv=None, known_only=False):
        self.__dict__["stand_in_parsed"] = True
        argv = list(sys.argv if argv is None else argv)
        rest = argv[:1]
        words = argv[1:]
        while words:
            word = words.pop(0)
            name, equals, value = word.lstrip("-").partition("=")
            negated = name[2:] if name.startswith("no") else None
            if word.startswith("-") and name in self.stand_in_types:
                kind = self.stand_in_types[name]
                if not equals and kind is not bool and words:
                    value = words.pop(0)
                self.stand_in_values[name] = value.lower() in TRUE if kind is bool else kind(value)
            elif word.startswith("-") and self.stand_in_types.get(negated) is bool:
                self.stand_in_values[negated] = False
            else:
                rest.append(word)
        return rest

    def __getattr__(self, name):
        if name.startswith("__") and name != "__flags":
            raise AttributeError(name)
        if not self.stand_in_parsed:
            self()
        if name in ("__flags", "flag_values_dict"):
            return {key: self[key] for key in self} if name == "__flags" else lambda: dict(
                self.stand_in_values)
        if name == "mark_as_parsed":
            return lambda: None
        try:
            return self.stand_in_values[name]
        except KeyError:
            raise AttributeError(f"unknown flag {name}") from None

    def __setattr__(self, name, value):
        self.stand_in_values[name] = value

    def __iter__(self):
        return iter(self.stand_in_values)

    def __getitem__(self, name):
        return Flag(name, getattr(self, name))


FLAGS = Values()


def definer(kind):
    def define(name, default=None, *arguments, **keywords):
        FLAGS.define(kind, name, keywords.get("default_value", default))
    return define


DEFINERS = {**{f"DEFINE_{name}": definer(kind) for name, kind in (
    ("string", str), ("integer", int), ("float", float), ("boolean", bool), ("bool", bool),
    ("enum", str), ("list", lambda text: text.split(",")), ("multi_string", str),
    ("multi_integer", int), ("multi_float", float), ("alias", str))},
    "mark_flag_as_required": lambda *a, **k: None, "mark_flags_as_required": lambda *a, **k: None,
    "adopt_module_key_flags": lambda *a, **k: None, "declare_key_flag": lambda *a, **k: None,
    "register_validator": lambda *a, **k: None, "FLAGS": FLAGS}


def run(main=None, argv=None):
    """tf.app.run: ends the program with what main returns."""
    rest = FLAGS(argv)
    if main is None:
        main = sys.modules["__main__"].main
    sys.exit(main(rest))
