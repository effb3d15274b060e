# SPDX-License-Identifier: Apache-2.0
"""The same renamings as rules of transplt, of ast-grep and of sed."""

import collections
import json
import re

_SPELLED = re.compile(rb"\b(?:torch|apex|amp_C)\.[A-Za-z_][\w.]*")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def names_by_use(rule_files, texts):
    """The names that the built-in rules are about, those that `texts` spell most often first, so
    that few rules are the ones that act. Then, should more be wanted than the rules have, other
    names of torch.cuda that the texts spell."""
    uses = collections.Counter()
    for text in texts:
        uses.update(name.decode().rstrip(".") for name in _SPELLED.findall(text))
    names = set()
    for file in rule_files:
        for rules in json.loads(file.read_text())["rules"].values():
            names.update(rule.get("old_name") or rule.get("name", "") for rule in rules)
    names = {name for name in names if "." in name and _IDENTIFIER.fullmatch(name)}
    others = {name for name in uses if name.startswith("torch.cuda.")} - names

    def by_use(group):
        return sorted(group, key=lambda name: (-uses[name], name))

    return by_use(names) + by_use(others)


def unused_names(count):
    """Names that no text spells, as most names of a large table of rules are."""
    return [f"vendor{i % 97}.ops.fused_kernel_{i}" for i in range(count)]


def _functions(names):
    """A function is renamed where it is called; a module or a class wherever it stands."""
    modules = {name.rpartition(".")[0] for name in names}
    return {name for name in names if name.rpartition(".")[2].islower()} - modules


def _renamed(name):
    parent, _, last = name.rpartition(".")
    return f"{parent}.{last}_on_npu"


def write_transplt(names, target):
    functions = _functions(names)
    rules = {"FuncNameModifyRule": [], "ModuleNameModifyRule": []}
    for name in names:
        parent, _, last = name.rpartition(".")
        if name in functions:
            rules["FuncNameModifyRule"].append(
                {"old_name": name, "new_name": _renamed(name), "replace_module": True})
        else:
            rules["ModuleNameModifyRule"].append(
                {"parent_module": parent, "old_name": last, "new_name": last + "_on_npu"})
    target.write_text(json.dumps({"rules": rules}))
    return target


def write_ast_grep(names, folder):
    """A project of ast-grep; its configuration is the result."""
    functions = _functions(names)
    rules = []
    for i, name in enumerate(names):
        call = "($$$ARGUMENTS)" if name in functions else ""
        rules.append(f"id: rename-{i}\nlanguage: Python\nseverity: hint\nmessage: renamed\n"
                     f"rule:\n  pattern: {name}{call}\nfix: {_renamed(name)}{call}\n")
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "all.yml").write_text("---\n".join(rules))
    configuration = folder / "sgconfig.yml"
    configuration.write_text("ruleDirs: [rules]\n")
    return configuration


def write_sed(names, target):
    def literal(name):
        return name.replace(".", r"\.")
    # The longer name first, as one that begins with another must be.
    target.write_text("".join(f"s/\\b{literal(name)}\\b/{_renamed(name)}/g\n"
                              for name in sorted(names, key=len, reverse=True)))
    return target
