// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <map>
#include <string>

namespace transplt::capture {

/// What the disk has refused while libhdf5 wrote a file. That library cannot close a file that it
/// could not write, and then crashes when the process ends. So it is not told of the refusal: what
/// it would have written stays in memory until it has closed the file.
struct Hdf5Disk {
  int error = 0;                        ///< errno of the first refusal; 0: there was none
  std::map<haddr_t, std::string> kept;  ///< what the disk has refused, by its place in the file
};

/// A list of properties for H5Fcreate(), which then writes to files through `disk`: it has to live
/// until the file is closed. Negative if libhdf5 refuses.
hid_t PropertiesFor(Hdf5Disk* disk);

}  // namespace transplt::capture
