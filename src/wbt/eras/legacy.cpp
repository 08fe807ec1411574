// SPDX-License-Identifier: Apache-2.0
#include "wbt/eras/legacy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace servosim::wbt {
namespace {

// The first header that excludes versions before V6.3.
constexpr Version kSixInertiaValues{7, 0, 0};

void set_default(Node& node, std::string_view name, Value value) {
  if (!node.has(name)) {
    set_field(node, *node.type->field(name, node.version), node.where, std::move(value));
  }
}

void split_controller_args(Node& node) {
  const Field* field = node.find("controllerArgs");
  if (field == nullptr || node.version >= kR2020b) {
    return;
  }
  const auto& words = std::get<std::vector<std::string>>(field->value);
  if (words.size() == 1) {
    set_field(node, *field->type, field->where, split_arguments(words[0]));
  }
}

}  // namespace

std::optional<Value> read_legacy_value(const FieldType& field, Lexer& lexer) {
  const bool on = lexer.peek().is("TRUE");
  if (field.name != "filtering" || (!on && !lexer.peek().is("FALSE"))) {
    return std::nullopt;
  }
  lexer.advance();
  return Value(on ? std::int32_t{4} : std::int32_t{0});
}

void upgrade(Node& node, std::string_view written_type) {
  if (written_type == "Supervisor") {
    set_default(node, "supervisor", true);
    set_default(node, "name", std::string("supervisor"));
    set_default(node, "controller", std::string("void"));
  }
  split_controller_args(node);
}

Mat3 inertia_tensor(const Vec3& moments, const Vec3& products) {
  return {{moments.x, products.x, products.y, products.x, moments.y, products.z, products.y,
           products.z, moments.z}};
}

NodePtr modern_physics(const Node& physics) {
  std::vector<Vec3> inertia = physics.vec3s("inertiaMatrix");
  std::vector<Vec3> centers = physics.vec3s("centerOfMass");
  const bool nine = inertia.size() == 3 && physics.version < kSixInertiaValues;
  if (!nine && !physics.has("orientation")) {
    return {};
  }
  if (nine) {
    if (inertia[0] != Vec3{} || centers.empty()) {
      centers = {inertia[0]};
    }
    inertia.erase(inertia.begin());
  }
  auto modern = std::make_shared<Node>(physics);
  if (physics.has("orientation")) {
    const Mat3 r = rotation_matrix(physics.rotation("orientation"));
    for (Vec3& center : centers) {
      center = r * center;
    }
    if (inertia.size() == 2) {
      const Mat3 i = r * inertia_tensor(inertia[0], inertia[1]) * transposed(r);
      inertia = {{i(0, 0), i(1, 1), i(2, 2)}, {i(0, 1), i(0, 2), i(1, 2)}};
    }
    std::erase_if(modern->fields, [](const Field& f) { return f.type->name == "orientation"; });
  }
  const auto set = [&](std::string_view name, std::vector<Vec3> value) {
    if (!value.empty()) {
      set_field(*modern, *modern->type->field(name, modern->version), physics.where_of(name),
                std::move(value));
    }
  };
  set("centerOfMass", std::move(centers));
  set("inertiaMatrix", std::move(inertia));
  return modern;
}

std::vector<std::string> split_arguments(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && c == ' ') {
      if (in_word) {
        words.push_back(std::exchange(word, {}));
      }
      in_word = false;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) {
    words.push_back(word);
  }
  return words;
}

std::string quoted_argument(std::string_view word) {
  if (!word.empty() && word.find_first_of(" \"'") == std::string_view::npos) {
    return std::string(word);
  }
  std::string line = "'";
  for (const char c : word) {
    line += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  }
  return line + '\'';
}

namespace {

// Removes an index such as `_12` from the beginning of `text`.
std::optional<int> take_index(std::string_view& text) {
  int index = 0;
  if (text.size() < 2 || text[0] != '_' || text[1] < '0' || text[1] > '9') {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return index;
}

bool is_joint(const Node& node) { return node.type->field("jointParameters") != nullptr; }

// Returns whether a field can lead to Solids. A boundingObject never does.
bool leads_to_solids(std::string_view field) {
  static constexpr std::array<std::string_view, 5> kFields{"children", "endPoint", "rotatingHead",
                                                           "fastHelix", "slowHelix"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

const Value& value_of(const NodePtr&, const Field& field) { return field.value; }

// Returns a value for writing, so a shared node is copied.
Value& value_of(NodePtr& node, const Field& field) {
  const auto index = static_cast<std::size_t>(&field - node->fields.data());
  return owned(node).fields[index].value;
}

// The joint that has a Solid as its endPoint: see HiddenPlace.
struct Holder {
  const Node* joint = nullptr;
  int solid = -1;
  int number = -1;
};

// Walks through an instance in the order in which Webots counts. `Pointer` is NodePtr, or const
// NodePtr for reading. visit(Pointer&, HiddenPlace) is called for each value that a hidden line
// could name.
template <class Pointer, class Visit>
class Walk {
 public:
  explicit Walk(const Visit& visit) : visit_(visit) {}

  void go(Pointer& node, int upper_solid = -1, Holder holder = {}) {
    if (node->type->is_solid) {
      upper_solid = static_cast<int>(joints_of_.size());
      joints_of_.push_back(0);
      visit_solid(node, upper_solid, holder);
      holder = {};
    } else if (is_joint(*node) && upper_solid >= 0) {
      const int joint = joints_of_[static_cast<std::size_t>(upper_solid)]++;
      visit_joint(node, upper_solid, joint);
      holder = {node.get(), upper_solid, joint};
    }
    // The order is that of the table; the order in the file may differ.
    for (const FieldType* type : node->type->fields) {
      const Field* field = leads_to_solids(type->name) ? node->find(type->name) : nullptr;
      if (field != nullptr) {
        go_into(value_of(node, *field), upper_solid, holder);
      }
    }
  }

 private:
  template <class V>
  void go_into(V& value, int upper_solid, const Holder& holder) {
    if (auto* single = std::get_if<NodePtr>(&value); single != nullptr && *single) {
      go(*single, upper_solid, holder);
    } else if (auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      for (Pointer& child : *list) {
        go(child, upper_solid, holder);
      }
    }
  }

  void visit_solid(Pointer& node, int solid, const Holder& holder) {
    for (const std::string_view name :
         {"translation", "rotation", "linearVelocity", "angularVelocity"}) {
      visit_(node, HiddenPlace{node.get(), solid, -1, name, name, holder.joint, holder.solid,
                               holder.number});
    }
  }

  // `position` belongs to jointParameters, `position2` to jointParameters2. Without such a node the
  // joint itself keeps it.
  void visit_joint(Pointer& node, int solid, int joint) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSlots{{
        {"jointParameters", "position"},
        {"jointParameters2", "position2"},
        {"jointParameters3", "position3"},
    }};
    for (const auto& [slot, name] : kSlots) {
      const Field* field = node->find(slot);
      auto* parameters = field != nullptr ? std::get_if<NodePtr>(&value_of(node, *field)) : nullptr;
      if (parameters != nullptr && *parameters) {
        visit_(*parameters, HiddenPlace{parameters->get(), solid, joint, name, "position"});
      } else {
        visit_(node, HiddenPlace{node.get(), solid, joint, name, name});
      }
    }
  }

  const Visit& visit_;
  std::vector<int> joints_of_;  // number of joints so far, by Solid
};

using HiddenKey = std::tuple<int, int, std::string_view>;  // Solid, joint, name
using HiddenByPlace = std::map<HiddenKey, const HiddenField*>;

HiddenByPlace by_place(const HiddenFields& hidden) {
  HiddenByPlace found;
  for (const HiddenField& h : hidden) {
    found[{h.solid, h.joint, h.field}] = &h;
  }
  return found;
}

Pose pose_of(const Node& node) {
  return {rotation_matrix(node.rotation("rotation")), node.vec3("translation")};
}

constexpr double kNearPlace = 1e-3;  // [m]; saved and measured positions may differ by this much
constexpr double kNearTurn = 0.01;   // [rad]

bool is_near(const Pose& a, const Pose& b) {
  return norm(a.translation - b.translation) < kNearPlace &&
         std::abs(axis_angle(transposed(a.rotation) * b.rotation).angle) < kNearTurn;
}

// The motion of a joint's endPoint from its place in the body: an angle [rad] if `is_turn`,
// otherwise a distance [m].
struct JointMotion {
  double way = 0.0;
  bool is_turn = false;
  Pose endpoint;  // the pose after the motion
};

// Returns nothing if the joint cannot move its endPoint to `saved`.
std::optional<JointMotion> motion_to(const Pose& saved, const Node& endpoint, const Node& joint) {
  const bool is_turn = joint.type->name == "HingeJoint";
  if (!is_turn && joint.type->name != "SliderJoint") {
    return std::nullopt;
  }
  const NodePtr& parameters = joint.node("jointParameters");
  const Vec3 own_axis = is_turn ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  const Vec3 axis = parameters ? unit_or(parameters->vec3("axis"), own_axis) : own_axis;
  const Pose here = pose_of(endpoint);
  JointMotion motion{0.0, is_turn, {}};
  if (is_turn) {
    const Vec3 anchor = parameters ? parameters->vec3("anchor") : Vec3{};
    const AxisAngle turn = axis_angle(saved.rotation * transposed(here.rotation));
    motion.way = dot(turn.axis, axis) < 0.0 ? -turn.angle : turn.angle;
    motion.endpoint = turn_about(anchor, axis, motion.way) * here;
  } else {
    motion.way = dot(saved.translation - here.translation, axis);
    motion.endpoint = {here.rotation, here.translation + motion.way * axis};
  }
  return is_near(saved, motion.endpoint) ? std::optional(motion) : std::nullopt;
}

double own_position(const Node& joint) {
  const NodePtr& parameters = joint.node("jointParameters");
  return parameters ? parameters->number("position") : 0.0;
}

// Returns whether a saved position agrees with the motion.
bool agrees(double position, const JointMotion& motion, double own) {
  const double way = position - own;
  return motion.is_turn ? std::abs(way - wrap_near(motion.way, way)) < kNearTurn
                        : std::abs(way - motion.way) < kNearPlace;
}

}  // namespace

std::optional<HiddenField> parse_hidden_name(std::string_view name) {
  using Kind = std::pair<std::string_view, ValueType>;
  static constexpr std::array<Kind, 7> kKinds{{
      {"translation", ValueType::SFVec3f},
      {"rotation", ValueType::SFRotation},
      {"linearVelocity", ValueType::SFVec3f},
      {"angularVelocity", ValueType::SFVec3f},
      {"position", ValueType::SFFloat},
      {"position2", ValueType::SFFloat},
      {"position3", ValueType::SFFloat},
  }};
  const std::string_view field = name.substr(0, name.find('_'));
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.first == field; });
  if (kind == kKinds.end()) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(field.size());
  const auto solid = take_index(rest);
  const bool of_joint = kind->second == ValueType::SFFloat;
  const auto joint = of_joint ? take_index(rest) : std::optional(-1);
  if (!solid || !joint || !rest.empty()) {
    return std::nullopt;
  }
  return HiddenField{kind->first, kind->second, *solid, *joint, {}, {}};
}

void apply_hidden(NodePtr& root, const HiddenFields& hidden) {
  if (!root || hidden.empty()) {
    return;
  }
  const HiddenByPlace lines = by_place(hidden);
  const auto set = [&](NodePtr& node, const HiddenPlace& place) {
    const auto found = lines.find({place.solid, place.joint, place.name});
    const FieldType* type =
        found != lines.end() ? node->type->field(place.field, node->version) : nullptr;
    if (type != nullptr) {
      set_field(owned(node), *type, found->second->where, found->second->value);
    }
  };
  Walk<NodePtr, decltype(set)>(set).go(root);
}

std::vector<HiddenPlace> hidden_places(const Node& root) {
  std::vector<HiddenPlace> places;
  const auto add = [&](const NodePtr&, const HiddenPlace& place) { places.push_back(place); };
  const NodePtr pointer(NodePtr(), &root);  // does not own the node
  Walk<const NodePtr, decltype(add)>(add).go(pointer);
  return places;
}

namespace {

/// Turns the lines of one instance.
class HiddenTurn {
 public:
  HiddenTurn(const HiddenFields& hidden, const Mat3& to_old)
      : lines_(by_place(hidden)), to_old_(to_old) {}

  /// `place` is the translation of a Solid.
  void take(const HiddenPlace& place) {
    for (const std::string_view name : {"linearVelocity", "angularVelocity"}) {
      if (const HiddenField* const line = find(place.solid, -1, name)) {
        turned_.push_back(*line);
      }
    }
    const HiddenField* const translation = find(place.solid, -1, "translation");
    const HiddenField* const rotation = find(place.solid, -1, "rotation");
    if (place.holder == nullptr || (translation == nullptr && rotation == nullptr)) {
      return;
    }
    const Mat3 to_new = transposed(to_old_);
    const Pose here = pose_of(*place.node);
    Pose saved = here;
    if (translation != nullptr) {
      saved.translation = to_new * std::get<Vec3>(translation->value);
    }
    if (rotation != nullptr) {
      saved.rotation = to_new * rotation_matrix(std::get<AxisAngle>(rotation->value)) * to_old_;
    }
    const HiddenField* const position = find(place.holder_solid, place.holder_joint, "position");
    const auto motion = motion_to(saved, *place.node, *place.holder);
    const double own = own_position(*place.holder);
    if (!motion ||
        (position != nullptr && !agrees(std::get<double>(position->value), *motion, own))) {
      return;
    }
    const SourceLocation where = (translation != nullptr ? translation : rotation)->where;
    add(place.solid, "translation", ValueType::SFVec3f, motion->endpoint.translation, where);
    add(place.solid, "rotation", ValueType::SFRotation, axis_angle(motion->endpoint.rotation),
        where);
    if (position != nullptr) {
      turned_.push_back(*position);
    }
  }

  HiddenFields turned() && { return std::move(turned_); }

 private:
  const HiddenField* find(int solid, int joint, std::string_view name) const {
    const auto found = lines_.find({solid, joint, name});
    return found != lines_.end() ? found->second : nullptr;
  }

  void add(int solid, std::string_view name, ValueType type, Value value, SourceLocation where) {
    turned_.push_back({name, type, solid, -1, std::move(value), where});
  }

  HiddenByPlace lines_;
  Mat3 to_old_;
  HiddenFields turned_;
};

}  // namespace

HiddenFields hidden_in_todays_axes(const Node& root, const HiddenFields& hidden,
                                   const Mat3& to_old) {
  HiddenTurn turn(hidden, to_old);
  for (const HiddenPlace& place : hidden_places(root)) {
    if (place.name == "translation") {
      turn.take(place);
    }
  }
  return std::move(turn).turned();
}

Node& owned(NodePtr& node) {
  if (node.use_count() > 1) {
    node = std::make_shared<Node>(*node);
  }
  return const_cast<Node&>(*node);  // make_shared<Node> has made it, so it is not const
}

void set_field(Node& node, const FieldType& type, SourceLocation where, Value value) {
  const auto found = std::find_if(node.fields.begin(), node.fields.end(),
                                  [&](const Field& f) { return f.type->name == type.name; });
  if (found == node.fields.end()) {
    node.fields.push_back({&type, where, std::move(value)});
  } else {
    *found = {&type, where, std::move(value)};
  }
}

}  // namespace servosim::wbt
