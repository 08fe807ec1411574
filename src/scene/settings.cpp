// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "scene/checks.h"
#include "scene/solid_builders.h"

namespace servosim {

namespace {

std::string read_coordinate_system(const wbt::Node& info, Findings& findings) {
  const std::string& axes = info.string("coordinateSystem");
  if (axes == "ENU" || axes == "NUE" || axes == "EUN") {
    return axes;
  }
  CheckedFields(info, findings)
      .warn_and_substitute("coordinateSystem", '"' + axes + '"', std::string("ENU"),
                           "it must be \"ENU\", \"NUE\" or \"EUN\"");
  return "ENU";
}

// Before R2020b gravity was a vector. Since then it is a number along the world's downward axis.
Vec3 read_gravity(const wbt::Node& info, std::string_view axes, Findings& findings) {
  const CheckedFields checked(info, findings);
  const wbt::Value& value = info.value("gravity");
  if (const Vec3* vector = std::get_if<Vec3>(&value)) {
    return is_finite(*vector) ? *vector : checked.point("gravity");
  }
  double g = std::get<double>(value);
  if (!std::isfinite(g) || g < 0.0) {
    checked.warn_and_substitute("gravity", fmt::format("{}", g), 9.81, "it must be >= 0");
    g = 9.81;
  }
  if (info.version < wbt::kR2020b) {
    return {0.0, -g, 0.0};
  }
  return axes == "ENU" ? Vec3{0.0, 0.0, -g} : Vec3{0.0, -g, 0.0};
}

// Reads east, north and up, either by the coordinate system or, in old files, by gravity and
// northDirection.
void read_directions(const wbt::Node* info, WorldSettings& w) {
  const std::string& axes = w.coordinate_system;
  w.up = axes == "ENU"  ? Vec3{0.0, 0.0, 1.0}
         : axes.empty() ? unit_or(-w.gravity, {0.0, 1.0, 0.0})
                        : Vec3{0.0, 1.0, 0.0};
  w.north = axes == "ENU"   ? Vec3{0.0, 1.0, 0.0}
            : axes == "EUN" ? Vec3{0.0, 0.0, 1.0}
                            : Vec3{1.0, 0.0, 0.0};
  if (info != nullptr && info->has("northDirection")) {
    w.north = unit_or(info->vec3("northDirection"), w.north);
  }
  if (axes == "EUN") {
    w.east = {1.0, 0.0, 0.0};  // as named, although east, up and north are left-handed
    return;
  }
  const Vec3 fallback = std::abs(w.up.x) < 0.5 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  w.east = unit_or(cross(w.north, w.up), unit_or(cross(fallback, w.up), {}));
  w.north = cross(w.up, w.east);
}

void read_gps(const CheckedFields& checked, WorldSettings& w) {
  const std::string& system = checked.node().string("gpsCoordinateSystem");
  w.gps_in_degrees = system == "WGS84";
  if (!w.gps_in_degrees && system != "local") {
    checked.warn_and_substitute("gpsCoordinateSystem", '"' + system + '"', std::string("local"),
                                "it must be \"local\" or \"WGS84\"");
  }
  w.gps_reference = checked.point("gpsReference");
  if (checked.node().type->field("lineScale") != nullptr) {
    w.line_scale = checked.non_negative("lineScale", 0.1);
  }
}

// Reads friction or slip. -1 means infinity if `infinite` allows it.
std::vector<double> read_list(const CheckedFields& checked, std::string_view field, bool infinite,
                              double substitute) {
  std::vector<double> values = checked.node().numbers(field);
  if (values.empty() || values.size() > 4) {
    checked.warn_replaced(
        field, fmt::format("{} has {} values; it should have 1 to 4", field, values.size()));
    values.resize(std::clamp<std::size_t>(values.size(), 1, 4), substitute);
  }
  std::vector<double> written = checked.node().numbers(field);
  bool any_bad = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& value = values[i];
    if (infinite && value == -1.0) {
      value = std::numeric_limits<double>::infinity();
    } else if (!std::isfinite(value) || value < 0.0) {
      checked.warn_of_replacement(
          field, fmt::format("{}", value), fmt::format("{}", substitute),
          infinite ? "it must be >= 0, or -1 for infinity" : "it must be >= 0");
      value = substitute;
      written[i] = substitute;
      any_bad = true;
    }
  }
  if (any_bad && infinite) {
    checked.record_substitute(field, std::move(written));
  }
  return values;
}

ContactProperties read_contact_properties(const wbt::Node& node, Findings& findings) {
  const CheckedFields checked(node, findings);
  ContactProperties p;
  p.material1 = node.string("material1");
  p.material2 = node.string("material2");
  p.coulomb_friction = read_list(checked, "coulombFriction", true, 1.0);
  p.force_dependent_slip = read_list(checked, "forceDependentSlip", false, 0.0);
  const auto& turn = std::get<wbt::Vec2>(node.value("frictionRotation"));
  p.friction_rotation = {turn.x, turn.y};
  p.bounce = checked.fraction("bounce", 0.5);
  p.bounce_velocity = checked.non_negative("bounceVelocity", 0.01);
  p.soft_erp = checked.fraction(node.has("softErp") ? "softErp" : "softERP", 0.2);
  p.soft_cfm = checked.positive(node.has("softCfm") ? "softCfm" : "softCFM", 0.001);
  const Vec3 rolling = checked.point("rollingFriction");
  const auto rho = [](double x) { return x == -1.0 ? std::numeric_limits<double>::infinity() : x; };
  p.rolling_friction = {rho(rolling.x), rho(rolling.y), rho(rolling.z)};
  if (std::any_of(p.rolling_friction.begin(), p.rolling_friction.end(),
                  [](double x) { return x < 0.0; })) {
    checked.warn_of_replacement("rollingFriction",
                                fmt::format("{} {} {}", rolling.x, rolling.y, rolling.z), "0 0 0",
                                "each must be >= 0, or -1 for infinity");
    p.rolling_friction = {};
  }
  p.max_contact_joints = node.integer("maxContactJoints");
  if (p.max_contact_joints <= 0) {
    checked.warn_and_substitute("maxContactJoints", fmt::format("{}", p.max_contact_joints), 10,
                                "it must be > 0");
    p.max_contact_joints = 10;
  }
  return p;
}

std::int64_t read_seed(const CheckedFields& checked) {
  const std::int64_t seed = checked.node().integer("randomSeed");
  if (seed >= -1) {
    return seed;
  }
  checked.warn_and_substitute("randomSeed", fmt::format("{}", seed), 0, "it must be >= 0, or -1");
  return 0;
}

Integrator read_integrator(const CheckedFields& checked) {
  const std::string& name = checked.node().string("integrator");
  if (name != "joint" && name != "ode") {
    checked.warn_and_substitute("integrator", '"' + name + '"', std::string("ode"),
                                "it must be \"ode\" or \"joint\"");
  }
  return name == "joint" ? Integrator::Joint : Integrator::Ode;
}

int read_evaluations(const CheckedFields& checked) {
  const std::int64_t evaluations = checked.node().integer("evaluations");
  if (evaluations >= 0 && evaluations <= kMaxEvaluations) {
    return static_cast<int>(evaluations);
  }
  checked.warn_and_substitute("evaluations", fmt::format("{}", evaluations), 0,
                              fmt::format("it must be 0 to {}", kMaxEvaluations));
  return 0;
}

void read_world_info(const wbt::Node& info, WorldSettings& w, Findings& findings) {
  const CheckedFields checked(info, findings);
  constexpr double kMinStepMs = 1e-3;  // with a smaller step a second takes a day
  constexpr double kMaxStepMs = 1e6;
  const bool positive = info.number("basicTimeStep") > 0.0;
  w.basic_time_step_ms =
      (positive ? checked.keeping_the_field() : checked)
          .number(
              "basicTimeStep", [](double x) { return x < kMinStepMs || x > kMaxStepMs; }, 32.0,
              info.number("basicTimeStep") > 1.0 ? "it must be at most 1e6 ms"
              : positive                         ? "that is too small: it must be at least 0.001 ms"
                                                 : "it must be > 0");
  w.title = info.string("title");
  if (info.version >= wbt::kR2020b) {
    w.coordinate_system = read_coordinate_system(info, findings);
  }
  w.gravity = read_gravity(info, w.coordinate_system, findings);
  read_gps(checked, w);
  w.ink_evaporation = checked.non_negative("inkEvaporation", 0.0);
  w.erp = checked.fraction("ERP", 0.2);
  w.cfm = checked.positive("CFM", 1e-5);
  w.disable_time = checked.finite("physicsDisableTime", 1.0);
  w.disable_linear_threshold = checked.magnitude("physicsDisableLinearThreshold");
  w.disable_angular_threshold = checked.magnitude("physicsDisableAngularThreshold");
  if (const wbt::NodePtr& damping = info.node("defaultDamping")) {
    w.default_damping = read_damping(*damping, findings);
  }
  w.random_seed = read_seed(checked);
  w.integrator = read_integrator(checked);
  w.evaluations = read_evaluations(checked);
  w.accuracy = checked.fraction("accuracy", 0.0);
  for (const wbt::NodePtr& properties : info.nodes("contactProperties")) {
    if (properties && properties->type->name == "ContactProperties") {
      w.contact_properties.push_back(read_contact_properties(*properties, findings));
    } else if (properties) {
      findings.replacement(properties->where,
                           fmt::format("a {} is not a ContactProperties node; it "
                                       "is left out",
                                       properties->type->name));
    }
  }
  const std::string& plugin = info.string("physics");
  if (!plugin.empty() && plugin != "<none>") {
    findings.warning(info.where_of("physics"),
                     fmt::format("physics plugin \"{}\" is not run", plugin),
                     MissingPart{Missing::Plugins, fmt::format("physics plugin \"{}\"", plugin),
                                 "plugins are not run; a supervisor can push bodies instead, by "
                                 "wb_supervisor_node_add_force()"});
  }
}

}  // namespace

Damping read_damping(const wbt::Node& node, Findings& findings) {
  if (node.type->name != "Damping") {
    findings.replacement(
        node.where,
        fmt::format("a {} is not a Damping node; the defaults are used", node.type->name));
    return {};
  }
  const CheckedFields checked(node, findings);
  const auto read = [&](std::string_view field) {
    const double value = node.number(field);
    const double clamped = std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0.0;
    if (clamped != value) {
      checked.warn_and_substitute(field, fmt::format("{}", value), clamped, "it must be in [0, 1]");
    }
    return clamped;
  };
  return {read("linear"), read("angular")};
}

WorldSettings read_world_settings(const wbt::WorldFile& file, Findings& findings) {
  WorldSettings settings;
  settings.all_box_corners = file.version >= wbt::kR2025a;
  if (file.version < wbt::kR2020b) {
    settings.gravity = {0.0, -9.81, 0.0};
  } else {
    settings.coordinate_system = "ENU";
  }
  const wbt::Node* const info = first_of_type(file, "WorldInfo");
  if (info != nullptr) {
    read_world_info(*info, settings, findings);
  }
  read_directions(info, settings);
  return settings;
}

bool is_robot(const wbt::Node& node) {
  return node.type->name == "Robot" || node.type->base == "Robot";
}

RobotSpec read_robot(const wbt::Node& node, Findings& findings) {
  const CheckedFields checked(node, findings);
  RobotSpec robot;
  robot.node = node.id;
  robot.where = node.where;
  robot.name = robot.given_name = node.string("name");
  robot.model = node.string("model");
  robot.controller = node.string("controller");
  robot.controller_args = node.strings("controllerArgs");
  robot.custom_data = node.string(node.has("data") ? "data" : "customData");
  robot.supervisor = node.boolean("supervisor");
  robot.synchronization = node.boolean("synchronization");
  robot.self_collision = node.boolean("selfCollision");
  robot.battery = node.numbers("battery");
  if (!robot.battery.empty() && robot.battery.size() != 3) {
    checked.warn_replaced("battery", "battery should have no or 3 values; it is not simulated");
    robot.battery.clear();
  }
  if (!robot.battery.empty() && robot.battery.front() == 0.0) {
    checked.warn("battery", fmt::format("the battery of robot \"{}\" is empty: its motors have no "
                                        "force",
                                        robot.name));
  }
  robot.cpu_consumption = checked.magnitude("cpuConsumption");
  robot.proto_project = node.proto.project;
  return robot;
}

}  // namespace servosim
