// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/child_process.h"
#include "base/scoped.h"

namespace servosim {

/// How the program mesh_reader ended for a file.
struct MeshAnswer {
  std::int32_t error = 0;        ///< an errno if there was no process for it
  std::int32_t wait_status = 0;  ///< as waitpid() has it
};

/// The first argument of the program mesh_reader where it is a MeshHelper.
inline constexpr const char* kMeshHelper = "helper";
/// The longest order to it [bytes].
inline constexpr std::size_t kMaxMeshOrder = 64;

/// Lets the program mesh_reader read mesh files, each in a process of its own, which is a copy of
/// the program. This saves most of the time that a start of the program takes, above all linking
/// assimp. The program starts with the first file, and ends with this object.
///
/// Threads: one at a time.
class MeshHelper {
 public:
  MeshHelper() = default;
  MeshHelper(const MeshHelper&) = delete;
  MeshHelper& operator=(const MeshHelper&) = delete;
  ~MeshHelper() { stop(); }

  /// Reads a file to the end, as run_filter() does.
  /// @param order  the arguments of the program but for the parent, with blanks between them
  /// @throws std::system_error if there can be no process
  ChildOutput read(const std::string& order, Descriptor file, std::size_t max_output);

 private:
  void start();
  int stop();

  Descriptor socket_;
  pid_t pid_ = 0;
};

}  // namespace servosim
