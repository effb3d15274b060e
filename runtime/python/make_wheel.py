#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_wheel.py BUILT_PACKAGE OUT: the folder transplt_capture as a wheel for Python 3.8 and later.

libhwy goes with it; libhdf5, which only HDF5 files need, comes from the system.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

NAME, VERSION = "transplt_capture", "0.1.0"
PACKED = ("_native.abi3.so", "libtransplt_capture.so.1", "libtransplt_capture_hdf5.so")


def libraries(source):
    """{name: bytes} of the libraries of the package, and of libhwy where the build found it."""
    found = {name: (source / name).read_bytes() for name in PACKED if (source / name).exists()}
    # A sanitizer that is loaded into Python cannot be loaded into the shell of ldd.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    needed = subprocess.run(["ldd", str(source / "libtransplt_capture.so.1")], text=True,
                            stdout=subprocess.PIPE, check=True, env=environment).stdout
    for name, path in re.findall(r"(libhwy\S*) => (/\S+)", needed):
        found[name] = pathlib.Path(path).read_bytes()
    return found


def platform_tag(found):
    """manylinux of the youngest glibc that the libraries ask for, by its name or by the libstdc++
    of its time. (A static libstdc++ of Debian 12 would ask for a younger glibc still.)"""
    content = b"".join(found.values())
    youngest = max(map(int, re.findall(rb"\0GLIBC_2\.(\d+)", content)))
    if b"\0GLIBCXX_3.4.30" in content:
        youngest = max(youngest, 35)
    return f"manylinux_2_{youngest}_{sysconfig.get_platform().split('-')[-1]}"


def main():
    source, out = map(pathlib.Path, sys.argv[1:3])
    found = libraries(source)
    tag = f"cp38-abi3-{platform_tag(found)}"
    dist = f"{NAME}-{VERSION}.dist-info"
    files = {f"{NAME}/{f.name}": f.read_bytes() for f in sorted(source.glob("*.py"))}
    files.update((f"{NAME}/{name}", data) for name, data in found.items())
    licence = pathlib.Path("/usr/share/doc/libhwy1/copyright")
    if licence.exists():
        files[f"{dist}/LICENSE.highway"] = licence.read_bytes()
    files[f"{dist}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: transplt-capture\nVersion: {VERSION}\n"
        "Summary: captures tensors, statistics and overflows of a training\n"
        "License: Apache-2.0\nRequires-Python: >=3.8\n").encode()
    files[f"{dist}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: transplt\nRoot-Is-Purelib: false\n"
        f"Tag: {tag}\n").encode()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()}"
        f",{len(data)}\n" for name, data in files.items())
    files[f"{dist}/RECORD"] = f"{record}{dist}/RECORD,,\n".encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{NAME}-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            # The same input gives the same bytes.
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
