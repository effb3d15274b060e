#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_wheel.py BUILT_PACKAGE OUT: the folder transplt_capture as a wheel for this Python.

The libraries that it needs, libhwy and (for HDF5) libhdf5, come from the system.
"""

import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

NAME, VERSION = "transplt_capture", "0.1.0"


def main():
    source, out = map(pathlib.Path, sys.argv[1:3])
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{platform}"
    dist = f"{NAME}-{VERSION}.dist-info"
    files = {f"{NAME}/{f.name}": f.read_bytes() for f in sorted(source.iterdir())
             if f.suffix == ".py" or ".so" in f.name}
    files[f"{dist}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: transplt-capture\nVersion: {VERSION}\n"
        "Summary: captures tensors, statistics and overflows of a training\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\n").encode()
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
