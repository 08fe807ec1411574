// SPDX-License-Identifier: Apache-2.0
#include "specification/place.h"

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "specification/reports.h"

namespace servosim {
namespace {

// Reads `:NUMBER` at the position `at`, which moves behind it. Returns 0 and leaves `at` as it is
// if there is none.
int number_at(std::string_view text, std::size_t& at) {
  int number = 0;
  if (at >= text.size() || text[at] != ':') {
    return 0;
  }
  const char* const begin = text.data() + at + 1;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) {
    return 0;
  }
  at = static_cast<std::size_t>(end - text.data());
  return number;
}

}  // namespace

Place place_in(std::string_view text) {
  std::size_t begin = 0;  // of the name of a file
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    std::size_t at = colon;
    const int line = number_at(text, at);
    const int column = line > 0 ? number_at(text, at) : 0;
    if (line > 0 && colon > begin && (at == text.size() || text[at] == ':')) {
      return {std::string(text.substr(begin, colon - begin)), line, column};
    }
    if (text.substr(colon, 2) == ": ") {
      begin = colon + 2;
    }
  }
  return {};
}

Place place_of_error(const TriedSpecification& tried) {
  const Place at = place_in(tried.error);
  std::error_code ignored;
  const bool is_file =
      at.file == tried.path || at.file == tried.world || std::filesystem::exists(at.file, ignored);
  return is_file ? at : Place();
}

}  // namespace servosim
