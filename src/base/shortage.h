// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace servosim {

/// The system lacks descriptors, processes, memory or space, or a device fails. The input is not
/// the cause, so no check may replace or omit a part of it.
class Shortage : public std::system_error {
 public:
  /// @param what  the consequence, such as "'x.stl' cannot be opened"
  Shortage(int error, const std::string& what)
      : std::system_error(error, std::generic_category(), what) {}
};

inline bool is_shortage(const std::error_code& error) {
  constexpr std::array kShortages{std::errc::resource_unavailable_try_again,
                                  std::errc::io_error,
                                  std::errc::too_many_files_open,
                                  std::errc::too_many_files_open_in_system,
                                  std::errc::no_buffer_space,
                                  std::errc::not_enough_memory,
                                  std::errc::no_space_on_device,
                                  std::errc::file_too_large};  // because of RLIMIT_FSIZE
  return std::any_of(kShortages.begin(), kShortages.end(),
                     [&error](std::errc shortage) { return error == shortage; }) ||
         error == std::error_code(EDQUOT, std::generic_category());
}

/// Throws Shortage if `error` is one of its causes.
inline void throw_if_short(const std::error_code& error, const std::string& what) {
  if (is_shortage(error)) {
    throw Shortage(error.value(), what);
  }
}

/// Does the same for an errno.
inline void throw_if_short(int error, const std::string& what) {
  throw_if_short(std::error_code(error, std::generic_category()), what);
}

/// Throws `error`, which the caller has caught, again if a shortage is its cause. Handlers that
/// blame the input for an error call it first.
inline void rethrow_if_short(const std::exception& error) {
  const auto* of_system = dynamic_cast<const std::system_error*>(&error);
  if ((of_system != nullptr && is_shortage(of_system->code())) ||
      dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    throw;
  }
}

}  // namespace servosim
