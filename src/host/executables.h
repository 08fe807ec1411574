// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace servosim {

/// Whether a file can be started on this machine: an ELF program for it, or a script with an
/// interpreter, that we may execute.
bool runs_here(const std::filesystem::path& file);

/// Whether a file is a program of any machine (ELF, Mach-O, PE), and not someone's data.
bool is_any_program(const std::filesystem::path& file);

/// The program that a shell would take for `name`; empty if there is none.
std::string find_in_path(const std::string& name);

}  // namespace servosim
