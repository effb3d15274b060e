# SPDX-License-Identifier: Apache-2.0
"""Generated projects of a size N: one for each way in which a file can grow.

Each function gives the files of its project, as a dictionary from path to text. All of them hold
names and strings of CUDA, so that every part of the migration has something to do.
"""

import json

TORCH = "import torch\n"


def _lines(n, line):
    return "".join(line(i) for i in range(n))


def _python(text):
    return {"grown.py": TORCH + text}


def aliases(n):
    """a1 = a0; a2 = a1; ..."""
    return _python("a0 = torch\n" + _lines(n, lambda i: f"a{i + 1} = a{i}\n") +
                   f"a{n}.cuda.synchronize()\n")


def used_aliases(n):
    """a1 = a0; a1.cuda.synchronize(); a2 = a1; ..."""
    return _python("a0 = torch\n" +
                   _lines(n, lambda i: f"a{i + 1} = a{i}\na{i + 1}.cuda.synchronize()\n"))


def device_aliases(n):
    """d1 = d0; d2 = d1; ... of a device string"""
    return _python("d0 = 'cuda'\n" + _lines(n, lambda i: f"d{i + 1} = d{i}\n") +
                   f"torch.zeros(1, device=d{n})\n")


def chained_assignment(n):
    """d0 = d1 = d2 = ... = 'cuda'"""
    return _python(_lines(n, lambda i: f"d{i} = ") + "'cuda'\ntorch.zeros(1, device=d0)\n")


def attribute_chain(n):
    """torch.cuda.a.a.a..."""
    return _python("x = torch.cuda" + ".a" * n + ".cuda()\n")


def call_chain(n):
    """model.cuda().cuda().cuda()..."""
    return _python("x = model" + ".cuda()" * n + "\n")


def subscript_chain(n):
    """x[0][0][0]....cuda()"""
    return _python("y = x" + "[0]" * n + ".cuda()\n")


def list_items(n):
    """["cuda", "cuda", ...]"""
    return _python("x = [" + "'cuda', " * n + "]\n")


def used_list_items(n):
    """DEVICES = ["cuda:0", "cuda:1", ...] and a loop that uses them"""
    return _python("DEVICES = [" + _lines(n, lambda i: f"'cuda:{i % 8}', ") +
                   "]\nfor device in DEVICES:\n    torch.zeros(1, device=device)\n")


def dictionary_keys(n):
    """{"k0": "cuda", "k1": "cuda", ...}"""
    return _python("config = {" + _lines(n, lambda i: f"'k{i}': 'cuda',\n") +
                   "}\ntorch.zeros(1, device=config['k0'])\n")


def comparisons(n):
    """d == "cuda" or d == "cuda" or ..."""
    return _python("if " + "d == 'cuda' or " * n + "d == 'cpu':\n    pass\n")


def elif_chain(n):
    """if d == ...: elif d == ...: elif ..."""
    return _python("if d == 'cpu':\n    pass\n" +
                   "elif d == 'cuda':\n    x.cuda()\n" * n)


def conditional_chain(n):
    """'cuda' if a else 'cuda' if a else ..."""
    return _python("device = " + "'cuda' if a else " * n + "'cpu'\nx.to(device)\n")


def adjacent_strings(n):
    """"cuda" "cuda" "cuda" ..."""
    return _python("x = (" + "'cuda' " * n + ")\n")


def concatenation(n):
    """"cuda" + "cuda" + "cuda" ..."""
    return _python("x = " + "'cuda' + " * n + "'cuda'\n")


def one_line(n):
    """a;b;c;... on one line"""
    return _python("torch.cuda.synchronize();" * n + "\n")


def statements(n):
    """one statement on each of N lines"""
    return _python("torch.cuda.synchronize()\n" * n)


def functions(n):
    """N functions, each called with "cuda" """
    return _python(_lines(n, lambda i: f"def f{i}(device):\n    return torch.zeros(1).to(device)\n"
                                       f"f{i}('cuda')\n"))


def calls_of_one(n):
    """one function, called N times with "cuda" """
    return _python("def f(device):\n    return torch.zeros(1).to(device)\n" + "f('cuda')\n" * n)


def call_depth(n):
    """f0 hands its device to f1, that one to f2 ..."""
    return _python(_lines(n, lambda i: f"def f{i}(device):\n    return f{i + 1}(device)\n") +
                   f"def f{n}(device):\n    return torch.zeros(1, device=device)\nf0('cuda')\n")


def classes(n):
    """N classes, each the base of the next one"""
    return _python("class C0(torch.nn.Module):\n    pass\n" +
                   _lines(n, lambda i: f"class C{i + 1}(C{i}):\n    def f{i}(self):\n"
                                       "        self.cuda()\n"))


def returned_results(n):
    """N functions that return what torch says of the GPU, and a use of each result"""
    return _python(_lines(n, lambda i: f"def f{i}():\n"
                                       "    props = torch.cuda.get_device_properties(0)\n"
                                       f"    return props\nf{i}().multi_processor_count\n"))


def default_devices(n):
    """N functions with a device as the default of a parameter of the same name"""
    return _python(_lines(n, lambda i: f"def f{i}(x, device='cuda'):\n    return x.to(device)\n"))


def guards(n):
    """if torch.cuda.is_available(): one after the other"""
    return _python("if torch.cuda.is_available():\n    x = x.cuda()\nelse:\n    x = x.cpu()\n" * n)


def early_returns(n):
    """N times `if options.x: return` in one function, and calls behind them"""
    return _python("import argparse\n\n\ndef f(options):\n" +
                   _lines(n, lambda i: f"    if options.x{i % 9}:\n        return\n    f(options)\n") +
                   "parser = argparse.ArgumentParser()\n" +
                   _lines(9, lambda i: f"parser.add_argument('--x{i}', action='store_true')\n") +
                   "if __name__ == '__main__':\n    f(parser.parse_args())\n")


def conditional_calls(n):
    """N functions, each of which calls the next where an option is set"""
    return _python("import argparse\n" +
                   _lines(n, lambda i: f"def f{i}(o):\n    if o.x:\n        f{i + 1}(o)\n") +
                   f"def f{n}(o):\n    print(o)\nif __name__ == '__main__':\n"
                   "    p = argparse.ArgumentParser()\n"
                   "    p.add_argument('--x', action='store_true')\n    f0(p.parse_args())\n")


def passed_parameters(n):
    """N functions that hand a parameter on to the next, which asks for it"""
    return _python(_lines(n, lambda i: f"def f{i}(fused=False):\n    f{i + 1}(fused)\n") +
                   f"def f{n}(fused=False):\n    if fused:\n        print(1)\n" +
                   "if __name__ == '__main__':\n    f0()\n")


def flags_of_one_another(n):
    """N attributes, each true where two others are, in a circle, and a condition of each"""
    return _python("class C:\n    def __init__(self):\n        self.x0 = False\n" +
                   _lines(n, lambda i: f"        self.x{i} = self.x{(i + 1) % n} or "
                                       f"self.x{(i + 7) % n}\n") +
                   "    def f(self):\n" +
                   _lines(n, lambda i: f"        if self.x{i}:\n            print({i})\n") +
                   "if __name__ == '__main__':\n    C().f()\n")


def flags_that_lead_on(n):
    """N attributes, each of which gets the value of the one before"""
    return _python("class C:\n    def __init__(self):\n        self.x0 = False\n" +
                   _lines(n, lambda i: f"        self.x{i + 1} = self.x{i}\n") +
                   f"    def f(self):\n        if self.x{n}:\n"
                   "            print(1)\nif __name__ == '__main__':\n    C().f()\n")


def givers_of_one_flag(n):
    """N functions that give one attribute its value, each of which calls the next where it is so"""
    return _python("class C:\n    pass\n" +
                   _lines(n, lambda i: f"def f{i}(o):\n    o.x = False\n    if not o.x:\n"
                                       f"        f{i + 1}(o)\n") +
                   f"def f{n}(o):\n    print(1)\nif __name__ == '__main__':\n    f0(C())\n")


def options_that_lead_to_one(n):
    """N functions, each behind an option of its own, that all call one another"""
    return _python("import argparse\n" +
                   _lines(n, lambda i: f"def f{i}(o):\n    f{i + 1}(o)\n") +
                   f"def f{n}(o):\n    print(1)\nif __name__ == '__main__':\n"
                   "    p = argparse.ArgumentParser()\n" +
                   _lines(n, lambda i: f"    p.add_argument('--x{i}', action='store_true')\n") +
                   "    o = p.parse_args()\n" +
                   _lines(n, lambda i: f"    if o.x{n - i - 1}:\n        f{n - i - 1}(o)\n"))


def parameters_handed_back(n):
    """N functions, each of which hands its parameter to the one before, and the first asks for it"""
    return _python("def f0(x0):\n    if x0:\n        print(1)\n" +
                   _lines(n, lambda i: f"def f{i + 1}(x{i + 1}):\n    f{i}(x{i + 1})\n") +
                   f"if __name__ == '__main__':\n    f{n}(False)\n")


def local_devices(n):
    """N functions, each with a variable of the same name that holds a device"""
    return _python(_lines(n, lambda i: f"def f{i}(x):\n    device = 'cuda'\n"
                                       "    return x.to(device)\n"))


def unpacked(n):
    """a0, a1, ... = "cuda", "cuda", ..."""
    return _python(_lines(n, lambda i: f"a{i}, ") + "= " + "'cuda', " * n + "\n" +
                   "x.to(a0)\n")


def methods(n):
    """one class with N methods"""
    return _python("class C(torch.nn.Module):\n" +
                   _lines(n, lambda i: f"    def f{i}(self):\n        self.x.cuda()\n"
                                       f"        return self.f{i + 1}()\n"))


def attributes(n):
    """one class that sets N attributes"""
    return _python("class C(torch.nn.Module):\n    def __init__(self):\n" +
                   _lines(n, lambda i: f"        self.x{i} = 'cuda'\n") +
                   "    def f(self):\n        self.cuda()\n")


def rebound(n):
    """x = x.cuda() N times"""
    return _python("x = torch.zeros(1)\n" + "x = x.cuda()\n" * n)


def perhaps_rebound(n):
    """if c: d = "cuda" and a use, N times"""
    return _python("d = 'cpu'\n" + "if c:\n    d = 'cuda'\n" * n + "x.to(d)\n" * n)


def perhaps_imported(n):
    """try: import torch.cuda as t, N times"""
    return _python("try:\n    import torch.cuda as t\nexcept ImportError:\n    t = None\n" * n +
                   "t.synchronize()\n" * n)


def imports(n):
    """N imports"""
    return _python(_lines(n, lambda i: f"from torch.cuda import a{i}\n"))


def star_imports(n):
    """N star imports"""
    return _python(_lines(n, lambda i: f"from m{i} import *\n") + "synchronize()\n" * 10)


def options(n):
    """N options of a command line, each with a device as its default"""
    return _python("import argparse\nparser = argparse.ArgumentParser()\n" +
                   _lines(n, lambda i: f"parser.add_argument('--d{i}', default='cuda')\n") +
                   "args = parser.parse_args()\n" +
                   _lines(n, lambda i: f"torch.zeros(1, device=args.d{i})\n"))


def keyword_arguments(n):
    """f(k0="cuda", k1="cuda", ...)"""
    return _python("f(" + _lines(n, lambda i: f"k{i}='cuda', ") + ")\n")


def parameters(n):
    """def f(k0="cuda", k1="cuda", ...)"""
    return _python("def f(" + _lines(n, lambda i: f"k{i}='cuda', ") + "):\n" +
                   _lines(n, lambda i: f"    x.to(k{i})\n"))


def global_names(n):
    """global a0, a1, ... in one function"""
    return _python("def f():\n" + _lines(n, lambda i: f"    global a{i}\n    a{i} = 'cuda'\n"))


def decorators(n):
    """@torch.cuda.amp.autocast() N times on one function"""
    return _python("@torch.cuda.amp.autocast()\n" * n + "def f():\n    pass\n")


def parentheses(n):
    """((((...)))) as deep as Python allows, N in all"""
    deep = 190
    return _python(("x = " + "(" * deep + "'cuda'" + ")" * deep + "\n") * (n // deep + 1))


def too_deep_parentheses(n):
    """((((...)))) N deep, which Python refuses"""
    return _python("x = " + "(" * n + "'cuda'" + ")" * n + "\n")


def blocks(n):
    """if a: if b: if c: ... as deep as Python allows, N in all"""
    deep = 90
    tower = _lines(deep, lambda i: " " * i + "if torch.cuda.is_available():\n")
    return _python((tower + " " * deep + "x.cuda()\n") * (n // deep + 1))


def functions_in_functions(n):
    """def f(): def f(): ... as deep as Python allows, N in all"""
    deep = 90
    tower = _lines(deep, lambda i: " " * i + f"def f{i}(device='cuda'):\n")
    return _python((tower + " " * deep + "x.to(device)\n") * (n // deep + 1))


def lambdas(n):
    """lambda: lambda: ... as deep as Python allows, N in all"""
    deep = 90
    return _python(("x = " + "lambda device: " * deep + "y.to(device)\n") * (n // deep + 1))


def long_string(n):
    """a text of N lines"""
    return _python("text = '''\n" + "run it with --device cuda\n" * n + "'''\nx.cuda()\n")


def comments(n):
    """N lines of comment"""
    return _python("# x.cuda() goes to the GPU\n" * n + "x.cuda()\n")


def broken_lines(n):
    """N lines that do not parse, between lines that do"""
    return _python("x.cuda()\ny = = x.cuda(\n" * n)


def notebook_cells(n):
    """a notebook of N cells"""
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
            "source": ["x = torch.zeros(1).cuda()\n"]}
    first = dict(cell, source=[TORCH])
    return {"grown.ipynb": json.dumps({"cells": [first] + [cell] * n, "metadata": {},
                                       "nbformat": 4, "nbformat_minor": 5})}


def shell_lines(n):
    """a shell script of N lines"""
    return {"grown.sh": "export CUDA_VISIBLE_DEVICES=0\npython train.py --device cuda\n" * (n // 2)}


def shell_variables(n):
    """a shell script of N lines that set what has no counterpart, between others that have one"""
    return {"grown.sh": "export CUDA_VISIBLE_DEVICES=0\nexport NCCL_IB_TC=106\n" * (n // 2)}


def yaml_lines(n):
    """a YAML file of N lines"""
    return {"grown.yaml": _lines(n // 2, lambda i: f"part{i}:\n  device: cuda\n")}


def json_items(n):
    """a JSON file of N items"""
    return {"grown.json": json.dumps([{"device": "cuda"}] * n, indent=1)}


def toml_lines(n):
    """a TOML file of N lines"""
    return {"grown.toml": _lines(n // 2, lambda i: f"[part{i}]\ndevice = 'cuda'\n")}


def yaml_list(n):
    """a YAML file with one list of N items"""
    return {"grown.yaml": "items:\n  - cuda\n" + _lines(n, lambda i: f"  - part{i}\n")}


def calls_in_a_macro(n):
    """a C++ source with one macro of N lines, each of which calls a function of CUDA"""
    return {"grown.cpp": "#include <cuda_runtime.h>\n#define ALL " +
            _lines(n, lambda i: "\\\n  cudaFree(p);") + "\n"}


def callers(n):
    """N / 50 files that each call a function of one file of N lines"""
    called = TORCH + _lines(n // 2, lambda i: f"def f{i}(device):\n    return x.to(device)\n")
    files = {f"caller{i}.py": f"from called import f{i}\nf{i}('cuda')\n" for i in range(n // 50)}
    return {"called.py": called, **files}


def chain_of_files(n):
    """N / 50 files, each of which re-exports all of the next one"""
    count = n // 50
    files = {f"m{i}.py": f"from m{i + 1} import *\nx.cuda()\n" for i in range(count)}
    return {**files, f"m{count}.py": TORCH, "main.py": "from m0 import *\ntorch.cuda.init()\n"}


CASES = [value for name, value in list(globals().items())
         if callable(value) and not name.startswith("_")]
