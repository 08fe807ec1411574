// SPDX-License-Identifier: Apache-2.0
// Runs the program that draws letters of fonts.
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "base/child_process.h"
#include "base/files.h"
#include "base/shortage.h"
#include "scene/glyphs.h"

namespace servosim {

ReadGlyphs read_glyphs(const std::string& file, int size, bool is_smooth,
                       std::span<const char32_t> letters) {
  auto opened = open_file(file);
  if (const auto* const failure = std::get_if<FileError>(&opened)) {
    return failure->reason;
  }
  std::vector<std::string> command{helper_program_path("mesh_reader"), std::string(kFont),
                                   std::to_string(::getpid()), std::to_string(size),
                                   is_smooth ? "1" : "0"};
  for (const char32_t letter : letters) {
    command.push_back(std::to_string(static_cast<std::uint32_t>(letter)));
  }
  try {
    const ChildOutput output =
        run_filter(command, std::get<Descriptor>(opened).get(), kMaxFileSize);
    if (auto glyphs = decode_glyphs(output.text); glyphs && output.wait_status.value_or(0) == 0) {
      return std::move(*glyphs);
    }
    return "is damaged: its reader fails";
  } catch (const std::system_error& error) {
    throw_if_short(error.code(), fmt::format("'{}' cannot be read", file));
    return fmt::format("cannot be read ({}): install servosim again", error.what());
  }
}

}  // namespace servosim
