// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace servosim {

/// The system has too few descriptors, processes or too little memory, or a device fails. That says
/// nothing of the input: what is read of it is not to be replaced or left out, as for a bad one.
class Shortage : public std::system_error {
 public:
  /// @param what  "'x.stl' cannot be opened"
  Shortage(int error, const std::string& what)
      : std::system_error(error, std::generic_category(), what) {}
};

/// Throws Shortage if `error`, an errno, is one.
inline void throw_if_short(int error, const std::string& what) {
  for (const int shortage : {EAGAIN, EIO, EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC}) {
    if (error == shortage) {
      throw Shortage(error, what);
    }
  }
}

}  // namespace servosim
