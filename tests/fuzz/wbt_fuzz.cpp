// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads arbitrary bytes as a world and writes the result. The text after a line
// `#PROTO` becomes the PROTO `P` of the project, so that PROTO files are covered, too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fuzz/expanded_text.h"
#include "fuzz/fuzz_project.h"
#include "wbt/convert/convert.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace {

namespace wbt = servosim::wbt;

bool is_of_version(const wbt::NodePtr& node, const wbt::Version& version) {
  const auto fits = [&](const wbt::NodePtr& child) { return is_of_version(child, version); };
  return !node ||
         (node->version == version &&
          std::all_of(node->fields.begin(), node->fields.end(), [&](const wbt::Field& field) {
            const auto* one = std::get_if<wbt::NodePtr>(&field.value);
            const auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value);
            return one != nullptr
                       ? fits(*one)
                       : several == nullptr || std::all_of(several->begin(), several->end(), fits);
          }));
}

// Checks that a world is the same when it is written and read again, also after a conversion.
void check_writing(const wbt::WorldFile& world, const std::string& folder) {
  const auto survives = [&](const wbt::WorldFile& tree) {
    servosim::Diagnostics diagnostics;
    const std::string text = wbt::write_world(tree);
    if (!wbt::equal(tree, wbt::read_world_text(text, "w.wbt", folder, {}, diagnostics))) {
      std::fprintf(stderr, "reads back as something else:\n%s\n", text.c_str());
      std::abort();
    }
  };
  if (std::all_of(world.nodes.begin(), world.nodes.end(),
                  [&](const wbt::NodePtr& node) { return is_of_version(node, world.version); })) {
    survives(world);
  }
  try {
    servosim::Diagnostics diagnostics;
    survives(servosim::convert(world, diagnostics));
  } catch (const std::invalid_argument&) {
    // A product has overflowed.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static servosim::fuzz::FuzzProject project;
  std::string world =
      servosim::fuzz::expanded(std::string_view(reinterpret_cast<const char*>(data), size));
  project.take_proto(world);
  servosim::Diagnostics diagnostics;
  const auto read = servosim::wbt::read_world_text(std::move(world), "fuzz.wbt", project.worlds(),
                                                   {}, diagnostics);
  if (diagnostics.errors() == 0) {
    check_writing(read, project.worlds());
  }
  return 0;
}
