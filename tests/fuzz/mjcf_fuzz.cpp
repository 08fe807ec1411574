// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads arbitrary bytes as an MJCF file. The text after a line `#INCLUDE` becomes
// the file part.xml in its folder. What is read must be a tree of finite numbers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "robots/mjcf_reader.h"

namespace {

using servosim::robots::Loss;
using servosim::robots::RobotFiles;
using servosim::robots::RobotJoint;
using servosim::robots::RobotLink;
using servosim::robots::RobotModel;

void check(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "the reader made %s\n", what);
    std::abort();
  }
}

void check_link(const RobotModel& model, int number) {
  const RobotLink& link = model.links[static_cast<std::size_t>(number)];
  check(link.parent < number && (link.parent >= 0) == (number > 0), "no tree");
  check(servosim::is_finite(link.pose.translation), "a link that is nowhere");
  check(!link.inertial || (link.inertial->mass >= 0.0 && is_finite(link.inertial->center)),
        "a mass that no link has");
  for (const RobotJoint& joint : link.joints) {
    check(is_finite(joint.axis) && is_finite(joint.anchor), "a joint that is nowhere");
    check(!joint.range || joint.range->lower <= joint.range->upper, "an inverted range");
    check(joint.damping >= 0.0 && joint.armature >= 0.0 && joint.stiffness >= 0.0 &&
              joint.friction >= 0.0,
          "a negative number of a joint");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const servosim::TemporaryFolder folder("mjcf-fuzz");
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kInclude = "\n#INCLUDE\n";
  const std::size_t include = text.find(kInclude);
  const std::string part_path = folder.path() + "/part.xml";
  std::remove(part_path.c_str());
  if (include != std::string_view::npos) {
    std::ofstream(part_path) << text.substr(include + kInclude.size());
    text = text.substr(0, include);
  }
  servosim::Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("robot.xml", std::string(text));
  RobotFiles files(folder.path());
  std::vector<Loss> losses;
  const auto model = servosim::robots::read_mjcf(file, files, diagnostics, losses);
  check(model.has_value() == (diagnostics.errors() == 0), "a robot with errors, or none without");
  for (std::size_t i = 0; model && i < model->links.size(); ++i) {
    check_link(*model, static_cast<int>(i));
  }
  return 0;
}
