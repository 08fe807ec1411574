// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim {

struct TriedSpecification;

/// A location in a file.
struct Place {
  std::string file;
  int line = 0;    ///< from 1; 0 means that it is unknown
  int column = 0;  ///< from 1; 0 means that it is unknown
};

/// Returns the location with which a text begins, such as `arm.toml:12:1` or `arm.toml:12:1:
/// expected a number`. If the text begins with names of other files, such as `arm.toml:
/// arm.wbt:3:5: …`, the first one with a line counts. Without any the line is 0 and the file is
/// empty.
Place place_in(std::string_view text);

/// Does the same for the error of a specification. A file counts if it is the specification or its
/// world, or exists: a message may also have an address, such as 127.0.0.1:8080.
Place place_of_error(const TriedSpecification& tried);

}  // namespace servosim
