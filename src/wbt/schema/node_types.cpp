// SPDX-License-Identifier: Apache-2.0
#include "wbt/schema/node_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

bool overlap(const FieldType& a, const FieldType& b) {
  return a.since <= b.until && b.since <= a.until;
}

// The field table as NodeTypes.
//
// Invariants: types_ is sorted by name; each name from which a node inherits is in the table.
class Registry {
 public:
  Registry() {
    for (const auto part :
         {world_nodes(), solid_nodes(), joint_nodes(), geometry_nodes(), device_nodes()}) {
      for (const NodeRows& rows : part) {
        table_.push_back(&rows);
      }
    }
    for (const NodeRows* rows : table_) {
      if (rows->kind != NodeKind::Abstract) {
        types_.push_back(make_type(*rows));
      }
    }
    std::sort(types_.begin(), types_.end(),
              [](const NodeType& a, const NodeType& b) { return a.name < b.name; });
  }

  std::span<const NodeType> types() const { return types_; }

  const NodeType* find(std::string_view name) const {
    const auto found =
        std::lower_bound(types_.begin(), types_.end(), name,
                         [](const NodeType& t, std::string_view n) { return t.name < n; });
    return found != types_.end() && found->name == name ? &*found : nullptr;
  }

 private:
  NodeType make_type(const NodeRows& node) {
    NodeType type{node.name,  node.base,  false,     node.kind == NodeKind::Device,
                  node.since, node.until, node.kind, {},
                  {}};
    std::vector<const FieldType*>& fields = field_lists_.emplace_back();
    std::vector<std::string_view>& origins = origin_lists_.emplace_back();
    std::string_view origin = node.name;
    for (const NodeRows* from = &node; from != nullptr;) {
      type.is_solid = type.is_solid || from->name == "Solid";
      append_rows(fields, from->rows);
      origins.resize(fields.size(), origin);
      // Rows from an entry that is not called a base (AnyJointParameters) count as rows of the
      // base.
      origin = from->base.empty() ? origin : from->base;
      from = rows_of(from->inherits);
    }
    type.fields = fields;
    type.origins = origins;
    return type;
  }

  // A row hides inherited rows of its name that exist in the same versions.
  static void append_rows(std::vector<const FieldType*>& fields, std::span<const FieldType> rows) {
    const std::size_t own = fields.size();
    for (const FieldType& row : rows) {
      const bool hidden =
          std::any_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(own),
                      [&](const FieldType* f) { return f->name == row.name && overlap(*f, row); });
      if (!hidden) {
        fields.push_back(&row);
      }
    }
  }

  const NodeRows* rows_of(std::string_view name) const {
    const auto found = std::find_if(table_.begin(), table_.end(),
                                    [&](const NodeRows* rows) { return rows->name == name; });
    SERVOSIM_ASSERT(name.empty() || found != table_.end(), "no rows of {}", name);
    return found == table_.end() ? nullptr : *found;
  }

  std::vector<const NodeRows*> table_;
  std::deque<std::vector<const FieldType*>> field_lists_;  // a deque, so that addresses stay valid
  std::deque<std::vector<std::string_view>> origin_lists_;
  std::vector<NodeType> types_;
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

constexpr std::array<OldName, 6> kRenamed{{
    {"CameraFocus", "Focus"},
    {"CameraLensDistortion", "Lens"},
    {"CameraZoom", "Zoom"},
    {"CustomRobot", "Robot"},
    {"Hinge2JointParameters", "HingeJointParameters"},
    {"Supervisor", "Robot"},
}};

constexpr std::array<OldName, 10> kRemoved{{
    {"Joint", "V5.5.0"},
    {"Gripper", "V6.2"},
    {"HyperGate", "V7.1"},
    {"Extrusion", "V8.1.0"},
    {"Switch", "R2018a"},
    {"ComposedShader", "R2018b"},
    {"ShaderPart", "R2018b"},
    {"MultiTexture", "R2018b"},
    {"Uniform", "R2018b"},
    {"ComposedCubeMapTexture", "R2018b"},
}};

std::string_view what_of(std::span<const OldName> names, std::string_view name) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const OldName& n) { return n.name == name; });
  return found == names.end() ? std::string_view() : found->what;
}

}  // namespace

// Revisions count only if the row names one: "until V8.6" includes V8.6.2.
bool FieldType::removed_by(const Version& version) const {
  const int revision = until.revision == 0 ? 0 : version.revision;
  return until != kNewestVersion && Version{version.major, version.minor, revision} > until;
}

bool FieldType::exists_in(const Version& version) const {
  return version >= since && !removed_by(version);
}

const FieldType* NodeType::field(std::string_view field_name) const {
  const FieldType* newest = nullptr;
  for (const FieldType* f : fields) {
    if (f->name == field_name && (newest == nullptr || f->until > newest->until)) {
      newest = f;
    }
  }
  return newest;
}

const FieldType* NodeType::field(std::string_view field_name, const Version& version) const {
  for (const FieldType* f : fields) {
    if (f->name == field_name && f->exists_in(version)) {
      return f;
    }
  }
  return field(field_name);
}

const NodeType* find_node_type(std::string_view name) {
  const std::string_view renamed = what_of(kRenamed, name);
  return registry().find(renamed.empty() ? name : renamed);
}

bool allows_use(const NodeType& type) {
  return !type.is_solid && !type.name.ends_with("Joint") &&
         !type.name.ends_with("JointParameters") && type.name != "TrackWheel";
}

std::span<const NodeType> all_node_types() { return registry().types(); }

std::span<const OldName> renamed_nodes() { return kRenamed; }
std::span<const OldName> removed_nodes() { return kRemoved; }

std::string_view removed_node_since(std::string_view name) { return what_of(kRemoved, name); }

std::string did_you_mean_node(std::string_view wrong) {
  // Most unknown nodes are PROTOs whose names are short English words, so only small typing errors
  // count.
  constexpr std::size_t kLettersPerSlip = 5;
  std::vector<std::string_view> names;
  for (const NodeType& type : all_node_types()) {
    if (std::max(wrong.size(), type.name.size()) >= kLettersPerSlip &&
        std::tolower(static_cast<unsigned char>(wrong[0])) ==
            std::tolower(static_cast<unsigned char>(type.name[0]))) {
      names.push_back(type.name);
    }
  }
  return did_you_mean(wrong, names);
}

namespace {

constexpr std::string_view kVelocities = "linearVelocity angularVelocity";

// The fields that come before and after all other fields of a node and of nodes based on it. In
// between are the fields of bases, then its own. Webots lists the fields of each node separately,
// including inherited ones, and does not always keep those of a base together.
struct StatedOrder {
  std::string_view node;
  std::string_view first;
  std::string_view last;
};

constexpr std::array kOrders{
    StatedOrder{"Pose", "translation rotation scale children translationStep rotationStep", ""},
    StatedOrder{"Transform", "translation rotation translationStep rotationStep children scale",
                ""},
    StatedOrder{"Solid",
                "translation rotation scale children name model description contactMaterial "
                "immersionProperties boundingObject physics locked translationStep rotationStep "
                "radarCrossSection recognitionColors",
                kVelocities},
    StatedOrder{"Fluid",
                "translation rotation scale children name model description density viscosity "
                "streamVelocity boundingObject translationStep rotationStep locked",
                ""},
    StatedOrder{"TrackWheel", "position rotation radius inner children", ""},
    StatedOrder{"Robot", "", "linearVelocity angularVelocity data"},
    StatedOrder{"DifferentialWheels",  // it has its own default for cpuConsumption
                "translation rotation scale children name model description contactMaterial "
                "immersionProperties boundingObject physics locked translationStep rotationStep "
                "radarCrossSection recognitionColors controller controllerArgs customData "
                "supervisor synchronization battery cpuConsumption",
                ""},
    StatedOrder{"Motor",
                "name acceleration consumptionFactor controlPID controlP maxVelocity minPosition "
                "maxPosition maxTorque maxForce multiplier sound muscles muscle",
                ""},
    StatedOrder{"Light",
                "ambientIntensity attenuation beamWidth color cutOffAngle direction intensity "
                "location on radius castShadows castLensFlares",
                ""},
    StatedOrder{"Camera", "", "linearVelocity angularVelocity spherical"},
    StatedOrder{"Lidar", "", "linearVelocity angularVelocity spherical"},
    StatedOrder{"RangeFinder", "", "linearVelocity angularVelocity spherical"},
    StatedOrder{"InertialUnit", "", "linearVelocity angularVelocity lookupTable"},
    StatedOrder{
        "JointParameters",
        "position axis anchor minStop maxStop springConstant dampingConstant staticFriction", ""},
    StatedOrder{"Joint",
                "jointParameters jointParameters2 jointParameters3 device device2 device3 endPoint",
                "position position2 position3"},
};

// Returns the index of a word in a list of words; the number of words if it is not there.
std::size_t place_in(std::string_view words, std::string_view word) {
  std::size_t place = 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) {
      return place;
    }
    ++place;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return place;
}

bool has_word(std::string_view words, std::string_view word) {
  return place_in(words, word) < place_in(words, {});
}

// `levels` tells for each field from how many bases up it comes.
std::vector<std::uint16_t> ordered(const NodeType& type, const std::vector<std::size_t>& levels,
                                   std::string_view first, std::string_view last) {
  // The components are: front, middle or end; index in a stated list; level of the origin; order of
  // the rows.
  using Rank = std::tuple<int, std::size_t, std::size_t, std::size_t>;
  const auto rank = [&](std::uint16_t i) {
    const std::string_view name = type.fields[i]->name;
    if (has_word(first, name)) {
      return Rank{0, place_in(first, name), 0, i};
    }
    if (has_word(last, name)) {
      return Rank{2, place_in(last, name), 0, i};
    }
    return Rank{1, 0, levels.size() - levels[i], i};
  };
  std::vector<std::uint16_t> order(type.fields.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::uint16_t a, std::uint16_t b) { return rank(a) < rank(b); });
  return order;
}

std::vector<std::uint16_t> make_order(const NodeType& type) {
  std::string_view first;
  std::string_view last;
  std::vector<std::size_t> levels;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const std::string_view origin = type.origins[i];
    const bool same = i > 0 && type.origins[i - 1] == origin;
    levels.push_back(i == 0 ? 0 : levels.back() + (same ? 0 : 1));
    const auto stated = std::find_if(kOrders.begin(), kOrders.end(), [&](const StatedOrder& order) {
      return order.node == origin;
    });
    if (!same && stated != kOrders.end()) {
      first = first.empty() ? stated->first : first;
      last = last.empty() ? stated->last : last;
    }
  }
  return ordered(type, levels, first, last);
}

std::map<const NodeType*, std::vector<std::uint16_t>> make_orders() {
  std::map<const NodeType*, std::vector<std::uint16_t>> orders;
  for (const NodeType& type : all_node_types()) {
    orders.emplace(&type, make_order(type));
  }
  return orders;
}

}  // namespace

const std::vector<std::uint16_t>& field_order(const NodeType& type) {
  static const auto orders = make_orders();
  return orders.at(&type);
}

}  // namespace servosim::wbt
