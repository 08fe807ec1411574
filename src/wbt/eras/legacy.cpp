// SPDX-License-Identifier: Apache-2.0
#include "wbt/eras/legacy.h"

#include <memory>
#include <utility>

#include "wbt/eras/hidden_fields.h"

namespace servosim::wbt {
namespace {

// The first header that cannot stand for a Webots before V6.3.
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

}  // namespace servosim::wbt
