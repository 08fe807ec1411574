// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace servosim::robots {
namespace {

/// The attributes of an element, between blanks. Those that act on looks or names only are with
/// those that are read.
struct Row {
  std::string_view element;
  std::string_view read;
  std::string_view solver;  // numbers of MuJoCo's solver, which have no meaning for another one
  std::string_view lost;    // they may change the motion
};

constexpr std::string_view kActuator =
    "name class group user joint jointinparent tendon site refsite cranksite slidersite "
    "cranklength "
    "body gear ctrllimited forcelimited ctrlrange forcerange inheritrange lengthrange dyntype "
    "gaintype biastype dynprm gainprm biasprm actlimited actrange kp kv dampratio timeconst ";

constexpr std::string_view kTendon =
    "name class group user range limited actuatorfrcrange actuatorfrclimited stiffness damping "
    "frictionloss armature springlength springyield material rgba width";
constexpr std::string_view kTendonSolver =
    "margin solreflimit solimplimit solreffriction solimpfriction";
constexpr std::string_view kSensor =
    "name site joint objtype objname reftype refname user noise delay interp interval nsample";

constexpr std::array<Row, 35> kRows{{
    {"body", "name childclass pos quat axisangle xyaxes zaxis euler mocap user sleep fuse", "",
     "gravcomp"},
    {"frame", "name childclass pos quat axisangle xyaxes zaxis euler", "", "scale massscale"},
    {"inertial", "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia", "", ""},
    {"joint",
     "name class type group pos axis ref range limited stiffness springref damping armature "
     "frictionloss actuatorfrcrange actuatorfrclimited user actuatorgravcomp springdamper",
     "margin solreflimit solimplimit solreffriction solimpfriction", "springyield"},
    {"freejoint", "name group align", "", ""},
    {"geom",
     "name class type contype conaffinity condim group size material friction mass density "
     "shellinertia fromto pos quat axisangle xyaxes zaxis euler mesh hfield rgba user fitscale",
     "priority solmix solref solimp margin gap", "fluidshape surfacevel"},
    {"site",
     "name class type group pos quat axisangle xyaxes zaxis euler material size fromto rgba user",
     "", ""},
    {"mesh",
     "name class content_type file vertex normal texcoord face scale refpos refquat smoothnormal "
     "maxhullvert inertia material octree_maxdepth",
     "", "builtin params"},
    {"general", kActuator, "", "actdim actearly damping armature delay nsample interp input"},
    {"motor", kActuator, "", "damping armature delay nsample interp"},
    {"position", kActuator, "", "damping armature delay nsample interp"},
    {"velocity", kActuator, "", "damping armature delay nsample interp"},
    {"damper", kActuator, "", "damping armature delay nsample interp"},
    {"compiler",
     "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict "
     "coordinate discardvisual eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange "
     "meshdir passthrough savecanonical savecompiled saveinertial settotalmass strippath "
     "texturedir usethread",
     "", ""},
    // How MuJoCo integrates and solves is not a property of the robot; o_* act with a flag only.
    {"option",
     "timestep gravity density viscosity ccd_iterations ccd_tolerance cone impratio integrator "
     "iterations jacobian ls_iterations ls_tolerance noslip_iterations noslip_tolerance o_friction "
     "o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver tolerance",
     "", "actuatorgroupdisable magnetic wind"},
    // Targets of actuators are those of a controller.
    {"key", "name time qpos ctrl act mpos mquat", "", "qvel"},
    {"exclude", "name body1 body2", "", ""},
    // One message says of each of these that all of it has no effect.
    {"pair", "name class geom1 geom2 condim friction solref solreffriction solimp gap margin", "",
     ""},
    {"connect", "name class active body1 body2 anchor site1 site2 solref solimp", "", ""},
    {"weld", "name class active body1 body2 relpose anchor site1 site2 torquescale solref solimp",
     "", ""},
    {"fixed", kTendon, kTendonSolver, ""},
    {"spatial", kTendon, kTendonSolver, ""},
    {"tendon", kTendon, kTendonSolver, ""},
    {"joint of fixed", "joint coef", "", ""},
    {"equality", "active", "solref solimp", ""},
    {"joint of equality", "name class active joint1 joint2 polycoef", "solref solimp", ""},
    {"accelerometer", kSensor, "", "cutoff"},
    {"gyro", kSensor, "", "cutoff"},
    {"magnetometer", kSensor, "", "cutoff"},
    {"framequat", kSensor, "", "cutoff"},
    {"framepos", kSensor, "", "cutoff"},
    {"jointpos", kSensor, "", "cutoff"},
    {"jointvel", kSensor, "", "cutoff"},
    {"force", kSensor, "", "cutoff"},
    {"torque", kSensor, "", "cutoff"},
}};

bool has_word(std::string_view words, std::string_view word) {
  for (words = trimmed(words); !words.empty(); words = trimmed(words)) {
    const std::string_view next = words.substr(0, words.find(' '));
    if (next == word) {
      return true;
    }
    words.remove_prefix(next.size());
  }
  return false;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
  return words;
}

bool is_zero(std::string_view text) {
  std::array<double, 8> values{};
  return parse_numbers(text, values).value_or(9) <= values.size() &&
         std::ranges::all_of(values, [](double x) { return x == 0.0; });
}

}  // namespace

void MjcfAttributes::check(pugi::xml_node node, std::string_view name_of_row) {
  const auto row = std::ranges::find(
      kRows, name_of_row.empty() ? std::string_view(node.name()) : name_of_row, &Row::element);
  if (row == kRows.end()) {
    return;
  }
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (has_word(row->read, name)) {
      continue;
    }
    if (has_word(row->solver, name)) {
      ++solver_[std::string(name)];
    } else if (!has_word(row->lost, name)) {
      std::string unknown = fmt::format("<{}> has no attribute '{:.60}'{}", node.name(), name,
                                        did_you_mean(name, words_of(row->read)));
      row->element == "compiler" ? xml_.fail(node, std::move(unknown))
                                 : xml_.lose(node, std::move(unknown), false);
    } else if (!is_zero(attribute.value())) {
      xml_.lose(
          node,
          fmt::format("{} '{:.60}' of <{}> has no effect", name, attribute.value(), node.name()),
          true);
    }
  }
}

void MjcfAttributes::tell_of_solver(pugi::xml_node top) {
  std::string list;
  for (const auto& [name, count] : solver_) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", name, count);
  }
  if (!list.empty()) {
    xml_.diagnostics().info(
        xml_.place(top),
        fmt::format("numbers of MuJoCo's contact solver have no effect: {}. Contacts and stops are "
                    "those of a world",
                    list));
  }
}

}  // namespace servosim::robots
