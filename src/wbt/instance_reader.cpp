// SPDX-License-Identifier: Apache-2.0
#include "wbt/instance_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/text.h"
#include "wbt/eras/legacy.h"
#include "wbt/node_parser.h"
#include "wbt/text_reader.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

constexpr std::size_t kMaxSuggestions = 200;  // number of names that are compared for each warning

std::vector<std::string_view> parameter_names(const Proto& proto) {
  std::vector<std::string_view> names;
  for (const ProtoParameter& parameter : proto.parameters) {
    names.push_back(parameter.name);
  }
  return names;
}

std::shared_ptr<const std::vector<Parameter>> parameters_of(const Environment& environment) {
  auto parameters = std::make_shared<std::vector<Parameter>>();
  for (const ProtoParameter& p : environment.proto.parameters) {
    parameters->push_back(
        {std::string(p.name), p.type, environment.value(p.name), p.default_value});
  }
  return parameters;
}

// No PROTO in a cycle can be used.
[[gnu::noinline]] void note_cycle(ParseContext& reading, const Proto& proto) {
  const auto& open = reading.open;
  const auto first = std::find(open.begin(), open.end(), &proto);
  std::string cycle;
  for (auto p = first; p != open.end(); ++p) {
    cycle += (*p)->name + " -> ";
  }
  for (auto p = first; p != open.end(); ++p) {
    if ((*p)->defect.empty()) {
      (*p)->defect = fmt::format("uses itself ({}{})", cycle, proto.name);
      (*p)->uses_itself = true;
    }
  }
}

}  // namespace

InstanceReader::InstanceReader(ParseContext& reading, const Source& source, NodeParser& nodes,
                               TextReader& text, const Environment* outer)
    : reading_(reading),
      source_(source),
      nodes_(nodes),
      text_(text),
      outer_(outer),
      missing_(reading, source, text) {}

NodePtr InstanceReader::read(const Token& name, std::string_view field) {
  const Proto* proto = find_proto(reading_, name.text, source_);
  if (proto != nullptr && proto->stand_in && field.ends_with("ppearance")) {
    proto = nullptr;  // an appearance with the name of an object, such as Glass
  }
  if (proto != nullptr) {
    note_cycle(reading_, *proto);
    missing_.report_other_file(*proto, name.offset);
  }
  return proto != nullptr && proto->defect.empty() ? read_instance(*proto, name)
                                                   : missing_.lose(proto, name, field);
}

NodePtr InstanceReader::fail_of_parameters(std::uint32_t offset) {
  text_.fail(offset, fmt::format("the PROTO instances of this world have more than {} parameters",
                                 kMaxParameters));
  return {};
}

NodePtr InstanceReader::read_instance(const Proto& proto, const Token& name) {
  if (proto.parameters.size() > reading_.parameter_room) {
    return fail_of_parameters(name.offset);
  }
  if (proto.write_body != nullptr || proto.stand_in) {
    missing_.report_substitute(proto, name.offset);
  }
  reading_.parameter_room -= proto.parameters.size();
  Environment environment(proto);
  HiddenFields hidden;
  Passed passed;
  open_instances_.push_back(&environment);
  text_.read_body(name, [&](const Token& parameter) {
    if (parameter.text == "hidden" && text_.peek_is(TokenKind::Word)) {
      read_hidden(hidden);
    } else {
      read_parameter(environment, parameter, passed);
    }
  });
  open_instances_.pop_back();
  if (!text_.stopped() && proto.stand_in) {
    missing_.report_losses(environment, name);
  }
  if (!text_.stopped() && proto.stand_in && has_old_axes()) {
    read_as_before_r2022a(*proto.stand_in, source_.version, environment);
  }
  if (!text_.stopped() && !own_defaults(environment)) {
    text_.fail_too_many(name.offset);
  }
  if (text_.stopped()) {
    return {};
  }
  NodePtr node = expand(environment, name);
  if (node) {
    Node& root = owned(node);
    make_instance(root, environment, passed);
    if (proto.write_body != nullptr || proto.stand_in) {
      // A text of servosim has no file, so messages show the name in the world.
      root.where = source_.at(name.offset);
    }
    if (proto.write_body != nullptr) {
      show_shapes(root);
    }
    if (proto.stand_in && has_old_axes() && proto.stand_in->to_old_axes != Mat3{}) {
      turn_hidden(proto, name, root, hidden);
    }
    apply_hidden(node, hidden);
  }
  return node;
}

// Converts the hidden lines of an instance whose PROTO had other axes than its stand-in.
void InstanceReader::turn_hidden(const Proto& proto, const Token& name, const Node& root,
                                 HiddenFields& hidden) {
  const auto positions = std::ranges::count(hidden, ValueType::SFFloat, &HiddenField::type);
  hidden = hidden_in_todays_axes(root, hidden, proto.stand_in->to_old_axes);
  if (std::ranges::count(hidden, ValueType::SFFloat, &HiddenField::type) < positions) {
    reading_.diagnostics.info(source_.at(name.offset),
                              fmt::format("joint positions in hidden lines of '{}' do not fit its "
                                          "stand-in, whose own ones count",
                                          proto.name));
  }
}

NodePtr InstanceReader::instantiate(const Proto& proto, std::vector<std::optional<Value>> given) {
  Environment environment(proto);
  environment.given = std::move(given);
  NodePtr node = expand(environment, text_.peek());
  if (node) {
    make_instance(owned(node), environment, {});
    if (proto.write_body != nullptr) {
      show_shapes(owned(node));
    }
  }
  return node;
}

void InstanceReader::make_instance(Node& root, Environment& environment, const Passed& passed) {
  const Proto& proto = environment.proto;
  root.proto.name = proto.name;
  root.proto.project = proto.project;
  root.proto.parameters = reading_.open_template_values > 0 ? parameters_of(environment) : nullptr;
  if (outer_ != nullptr) {
    std::vector<Connection> sorted =
        passed.empty() ? std::vector<Connection>{} : environment.connections;
    sort_connections(sorted);
    for (const auto& [inner, outer] : passed) {
      if (interface_of(proto)->fields[inner].used_by_template) {
        outer_->connections.push_back({outer, 0, nullptr});
      }
      for (const Connection& c : connections_of(sorted, inner)) {
        outer_->connections.push_back({outer, c.node, c.field});
      }
    }
  }
  auto instance = std::make_shared<ProtoInstance>();
  instance->interface = interface_of(proto);
  instance->given = std::move(environment.given);
  SERVOSIM_ASSERT(instance->given.size() == instance->interface->fields.size(),
                  "PROTO {}: {} values of {} fields", proto.name, instance->given.size(),
                  instance->interface->fields.size());
  instance->connections = std::move(environment.connections);
  instance->base = std::move(root.proto.instance);
  root.proto.instance = std::move(instance);
}

// Returns whether PROTOs of Webots' distribution had y up in the version of this text. Some worlds
// of R2021b already have z up.
bool InstanceReader::has_old_axes() const {
  return !geometry_axis_is_z(source_.version) && reading_.coordinate_system != "ENU";
}

// A field that is a number now may have been a vector: `scale 2 2 2`.
void InstanceReader::skip_numbers() {
  while (text_.peek_is(TokenKind::Word) &&
         text_.peek().text.find_first_not_of("+-.0123456789eE") == std::string_view::npos) {
    text_.advance();
  }
}

void InstanceReader::skip_parameter(const Proto& proto, const Token& name) {
  if (proto.stand_in) {  // it has no fields for looks, and not the fields of every version
    return text_.skip_any_value();
  }
  text_.skip_unknown_field(name, proto.name,
                           text_.quiet() || proto.parameters.size() > kMaxSuggestions
                               ? ""
                               : did_you_mean(name.text, parameter_names(proto)));
}

void InstanceReader::read_parameter(Environment& environment, const Token& name, Passed& passed) {
  const Proto& proto = environment.proto;
  const auto parameter = environment.find(name.text);
  if (!parameter) {
    return skip_parameter(proto, name);
  }
  text_.warn_if_given(environment.given[*parameter].has_value(), name, proto.name);
  const bool open_template_values = proto.script && proto.script->fields.contains(name.text);
  reading_.open_template_values += open_template_values ? 1 : 0;
  if (outer_ != nullptr && text_.peek().is("IS")) {
    if (const auto outer = nodes_.parameter_ahead()) {
      passed.emplace_back(static_cast<std::uint32_t>(*parameter), *outer);
    }
  }
  if (auto value = nodes_.read_value(proto.parameters[*parameter].type, {name, proto.name})) {
    environment.given[*parameter] = std::move(value);
  }
  if (proto.stand_in) {
    skip_numbers();
  }
  reading_.open_template_values -= open_template_values ? 1 : 0;
}

// Reads `hidden translation_2 0 0.1 0`. Names of other kinds are skipped without a warning, as in
// Webots.
void InstanceReader::read_hidden(HiddenFields& hidden) {
  const Token name = text_.take();
  auto field = parse_hidden_name(name.text);
  if (!field) {
    skip_value(text_.lexer());
    return;
  }
  if (auto value = nodes_.read_value(field->type, {name, "a PROTO instance"})) {
    field->value = std::move(*value);
    field->where = source_.at(name.offset);
    hidden.push_back(std::move(*field));
  }
}

NodePtr InstanceReader::expand(const Environment& environment, const Token& name) {
  const Proto& proto = environment.proto;
  if (reading_.open.size() >= kMaxProtoDepth) {
    text_.fail(name.offset, fmt::format("PROTOs nest deeper than {} levels", kMaxProtoDepth));
    return {};
  }
  if (!proto.script && proto.write_body == nullptr) {
    return expand_text(environment, proto.source, proto.body, name);
  }
  SourceMap& sources = reading_.diagnostics.sources();
  Source source = proto.source;
  if (proto.script) {
    const TemplateExpansion& expansion = expand_template(reading_, environment);
    if (const auto* fault = std::get_if<Fault>(&expansion)) {
      return missing_.lose(*fault, name);
    }
    source.file = std::get<std::uint32_t>(expansion);
  } else {
    const std::string text = proto.write_body(environment);
    const auto [known, is_new] = reading_.built_in_bodies.try_emplace(text);
    if (is_new) {
      known->second = sources.add(fmt::format("<{}>", proto.name), text);
    }
    source.file = known->second;
  }
  source.text = sources.text(source.file);
  return expand_text(environment, source, 0, name);
}

NodePtr InstanceReader::expand_text(const Environment& environment, const Source& source,
                                    std::size_t body, const Token& name) {
  const std::size_t length = source.text.size() - body;
  if (length > reading_.text_room) {
    text_.fail(name.offset, "the PROTOs of this world expand to too much text");
    return {};
  }
  reading_.text_room -= length;
  reading_.open.push_back(&environment.proto);
  NodeParser parser(reading_, source, body, &environment);
  NodePtr root = parser.read_root();
  reading_.open.pop_back();
  if (std::optional<Fault>& fault = parser.text().first_fault()) {
    fault->reason = fmt::format("PROTO '{}': {}", environment.proto.name, fault->reason);
    return missing_.lose(*fault, name);
  }
  if (!environment.proto.defect.empty()) {  // the PROTO is in a cycle
    return missing_.lose({source_.at(name.offset), defect_of(environment.proto)}, name);
  }
  return root;
}

namespace {

// The first node of each DEF name in a value, excluding the nodes in bodies of PROTOs.
class DefinitionsIn {
 public:
  explicit DefinitionsIn(const Value& value) {
    for_each_node(value, [this](const NodePtr& node) { add(node); });
  }

  std::unordered_map<std::string_view, NodePtr> nodes;

 private:
  void add(const NodePtr& node) {
    if (!seen_.insert(node.get()).second) {
      return;  // a USE of a node that was visited before
    }
    if (!node->def.empty()) {
      nodes.try_emplace(node->def, node);
    }
    if (node->proto.name.empty()) {
      for_each_child(*node, [this](const NodePtr& child) { add(child); });
    }
  }

  std::unordered_set<const Node*> seen_;
};

// The result is computed once for each PROTO, since a file may have any number of unknown names.
const DefaultDefinitions& definitions_in_defaults(const Proto& proto) {
  if (proto.definitions_in_defaults == nullptr) {
    auto made = std::make_shared<DefaultDefinitions>();
    for (std::uint32_t i = 0; i < proto.parameters.size(); ++i) {
      if (holds_nodes(proto.parameters[i].type)) {
        for (const auto& [name, node] : DefinitionsIn(proto.parameters[i].default_value).nodes) {
          (*made)[name].push_back(i);
        }
      }
    }
    proto.definitions_in_defaults = std::move(made);
  }
  return *proto.definitions_in_defaults;
}

}  // namespace

std::optional<Value> InstanceReader::own_default(const Value& value) {
  Value own = value;
  std::vector<NodePtr*> nodes;
  if (auto* node = std::get_if<NodePtr>(&own)) {
    nodes.push_back(node);
  } else {
    for (NodePtr& item : std::get<std::vector<NodePtr>>(own)) {
      nodes.push_back(&item);
    }
  }
  for (NodePtr* const node : nodes) {
    if (*node && !(*node = fresh_copy(reading_, *node))) {
      return std::nullopt;
    }
  }
  return own;
}

namespace {

bool holds_any(const Value& value) {
  const auto* const node = std::get_if<NodePtr>(&value);
  return node != nullptr ? *node != nullptr : !std::get<std::vector<NodePtr>>(value).empty();
}

}  // namespace

// Copies the nodes of default values, since all instances would share them otherwise. Returns false
// if there are too many.
bool InstanceReader::own_defaults(Environment& environment) {
  const Proto& proto = environment.proto;
  for (std::size_t i = 0; i < proto.parameters.size(); ++i) {
    if (environment.given[i] || !holds_nodes(proto.parameters[i].type)) {
      continue;
    }
    const auto used = environment.used_defaults.find(i);
    std::optional<Value> own = used != environment.used_defaults.end()
                                   ? std::move(used->second.value)
                                   : own_default(proto.parameters[i].default_value);
    if (!own) {
      return false;
    }
    if (holds_any(*own)) {
      environment.given[i] = std::move(own);
    }
  }
  return true;
}

NodePtr InstanceReader::find_in_defaults(const Token& name) {
  for (auto open = open_instances_.rbegin(); open != open_instances_.rend(); ++open) {
    Environment& environment = **open;
    const DefaultDefinitions& known = definitions_in_defaults(environment.proto);
    const auto entry = known.find(name.text);
    if (entry == known.end()) {
      continue;
    }
    const auto [used, is_first] = environment.used_definitions.try_emplace(entry->first);
    if (is_first) {
      const auto parameter =
          std::ranges::find_if(entry->second, [&](auto i) { return !environment.given[i]; });
      if (parameter == entry->second.end()) {
        continue;
      }
      const auto [own, is_new] = environment.used_defaults.try_emplace(*parameter);
      if (is_new) {
        auto copy = own_default(environment.proto.parameters[*parameter].default_value);
        if (!copy) {
          return text_.fail_too_many(name.offset);
        }
        own->second.value = std::move(*copy);
        own->second.definitions = DefinitionsIn(own->second.value).nodes;
      }
      used->second = own->second.definitions.at(name.text);
    }
    if (used->second) {
      return used->second;
    }
  }
  return {};
}

}  // namespace servosim::wbt
