// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/kept_protos.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "assets/address.h"
#include "base/assert.h"
#include "wbt/convert/convert.h"
#include "wbt/lexer.h"
#include "wbt/proto/proto_finder.h"
#include "wbt/templates/template_text.h"
#include "wbt/values.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

using Ids = std::set<std::uint32_t>;
using NodesById = std::map<std::uint32_t, const wbt::Node*>;

constexpr wbt::Version kFirstAsToday{2022, 1, 0};  // R2022b, which introduced EXTERNPROTO

bool is_present_type(std::string_view name) {
  const wbt::NodeType* type = wbt::find_node_type(name);
  return type != nullptr && type->name == name && type->until == wbt::kNewestVersion;
}

// The contents of a PROTO file apart from its values.
class ProtoText {
 public:
  explicit ProtoText(std::string_view text) : text_(text) {
    wbt::Lexer lexer(text);
    while (lexer.peek().kind != wbt::TokenKind::End && !lexer.peek().is("PROTO")) {
      const bool declares = lexer.take().is("EXTERNPROTO");
      if (declares && lexer.peek().kind == wbt::TokenKind::String) {
        declared_.insert(wbt::unescaped(lexer.peek().text));
      }
    }
    while (lexer.peek().kind != wbt::TokenKind::End &&
           lexer.peek().kind != wbt::TokenKind::OpenBracket) {
      lexer.advance();
    }
    interface_ = lexer.peek().offset;
    wbt::skip_balanced(lexer);
    body_ = lexer.peek().offset + 1;
  }

  /// Returns why Webots R2025a would read the file differently, as a clause; may be empty.
  std::string fault() const {
    const auto version = wbt::header_version(text_);
    if (!version) {
      return "names no version in its first line";
    }
    if (*version < kFirstAsToday) {
      return fmt::format("is of {}; only those since R2022b are read as they are",
                         to_string(*version));
    }
    const auto script = wbt::find_template(text_, body_);
    if (script && script->language == TemplateLanguage::Lua) {
      return "is a Lua template, which Webots reads up to R2023b";
    }
    if (!script) {
      return fault_of_nodes(text_.substr(interface_));
    }
    std::string fault = fault_of_nodes(text_.substr(interface_, body_ - interface_));
    for (const TemplatePiece& piece : script->pieces) {
      if (fault.empty() && piece.kind == TemplatePiece::Kind::Text) {
        fault = fault_of_nodes(piece.text);
      }
    }
    return fault;
  }

 private:
  // A word before a brace is the type of a node, or of an accepted node.
  std::string fault_of_nodes(std::string_view text) const {
    for (wbt::Lexer lexer(text); lexer.peek().kind != wbt::TokenKind::End;) {
      const wbt::Token word = lexer.take();
      if (word.kind != wbt::TokenKind::Word || lexer.peek().kind != wbt::TokenKind::OpenBrace ||
          is_present_type(word.text) || wbt::parse_value_type(word.text)) {
        continue;
      }
      const bool is_declared = std::any_of(
          declared_.begin(), declared_.end(),
          [&](const std::string& url) { return wbt::extern_proto_name(url) == word.text; });
      if (!is_declared) {
        return fmt::format("has a {0}, which is no node of R2025a and has no EXTERNPROTO line",
                           wbt::shown(word.text));
      }
    }
    return {};
  }

  std::string_view text_;
  std::set<std::string> declared_;  // URLs of EXTERNPROTO lines
  std::size_t interface_ = 0;       // offset of its '['
  std::size_t body_ = 0;            // offset after its '{'
};

// The nodes that a PROTO instance and its parameters have made. Nodes that the conversion has made
// have no id.
class Subtree {
 public:
  explicit Subtree(const wbt::Value& value) { add(value); }
  explicit Subtree(const wbt::Node& root) { add(root); }

  void add(const wbt::Value& value) {
    wbt::for_each_node(value, [this](const wbt::NodePtr& node) { add(*node); });
  }
  const NodesById& by_id() const { return by_id_; }

 private:
  void add(const wbt::Node& node) {
    if (seen_.insert(&node).second) {
      if (node.id != 0) {
        by_id_.emplace(node.id, &node);
      }
      wbt::for_each_child(node, [this](const wbt::NodePtr& child) { add(*child); });
    }
  }

  NodesById by_id_;
  std::unordered_set<const wbt::Node*> seen_;
};

wbt::Value present_value(const wbt::Value& value) {
  if (const auto* one = std::get_if<wbt::NodePtr>(&value); one != nullptr && *one) {
    return with_present_rows(std::vector{*one}).front();
  }
  const auto* list = std::get_if<std::vector<wbt::NodePtr>>(&value);
  return list != nullptr ? wbt::Value(with_present_rows(*list)) : value;
}

bool all_are_present(const wbt::Value& value) {
  bool result = true;
  wbt::for_each_node(value, [&](const wbt::NodePtr& node) {
    result = result && node->version >= wbt::kNewestVersion;
    for (const wbt::Field& field : node->fields) {
      result = result && all_are_present(field.value);
    }
  });
  return result;
}

// Chooses the instances that stay. To find out whether they can, it reads the text back.
//
// Invariant: an instance whose root is in `refused_` is never chosen again, so write() ends.
class ProtoKeeper {
 public:
  ProtoKeeper(const wbt::WorldFile& world, const std::string& folder,
              const wbt::ReadOptions& options, Diagnostics& diagnostics)
      : world_(world), folder_(folder), options_(options), diagnostics_(diagnostics) {}

  WorldWithProtos write() {
    WorldWithProtos result;
    std::size_t refused = 0;
    do {
      refused = refused_.size();
      const wbt::WorldFile chosen = choose();
      result.text = wbt::write_world_with_protos(chosen);
      result.fault = compare(chosen, result.text);
    } while (refused_.size() > refused);
    result.nodes = std::move(nodes_);
    result.instances = instances_;
    return result;
  }

 private:
  // Returns the world with instances in all places where nodes of their PROTOs may stay, and
  // nowhere else.
  wbt::WorldFile choose() {
    chosen_.clear();
    kept_.clear();
    nodes_.clear();
    files_.clear();
    instances_ = 0;
    wbt::WorldFile chosen = world_;
    chosen.nodes = choose(world_.nodes);
    std::vector<std::string> kept_urls;
    for (const std::string& path : files_) {
      kept_urls.push_back(
          assets::is_address(path) ? path : fs::path(path).lexically_relative(folder_).string());
    }
    // Webots reads only one line for each name, so that of a kept PROTO replaces that of an
    // importable one.
    chosen.externs.clear();
    chosen.importable.clear();
    for (const std::string& url : world_.importable) {
      const auto same = std::find_if(kept_urls.begin(), kept_urls.end(), [&](const auto& kept) {
        return wbt::extern_proto_name(kept) == wbt::extern_proto_name(url);
      });
      chosen.importable.push_back(same == kept_urls.end() ? url : *same);
      chosen.externs.push_back(chosen.importable.back());
      if (same != kept_urls.end()) {
        kept_urls.erase(same);
      }
    }
    chosen.externs.insert(chosen.externs.end(), kept_urls.begin(), kept_urls.end());
    return chosen;
  }

  std::vector<wbt::NodePtr> choose(const std::vector<wbt::NodePtr>& nodes) {
    std::vector<wbt::NodePtr> result;
    for (const wbt::NodePtr& node : nodes) {
      result.push_back(choose(node));
    }
    return result;
  }

  wbt::NodePtr choose(const wbt::NodePtr& node) {
    if (!node) {
      return node;
    }
    if (const auto found = chosen_.find(node); found != chosen_.end()) {
      return found->second;
    }
    wbt::Node copy = *node;
    const bool stays = node->proto.instance != nullptr && keep(*node, copy);
    if (!stays) {
      copy.proto.instance = nullptr;
      for (wbt::Field& field : copy.fields) {
        field.value = choose(std::move(field.value));
      }
    }
    wbt::NodePtr result = shared(std::move(copy));
    if (stays) {
      SERVOSIM_ASSERT(!refused_.contains(node->id), "PROTO {} was refused", node->proto.name);
      kept_.insert(result.get());
    }
    return chosen_[node] = result;
  }

  wbt::Value choose(wbt::Value value) {
    if (auto* one = std::get_if<wbt::NodePtr>(&value)) {
      *one = choose(*one);
    } else if (auto* list = std::get_if<std::vector<wbt::NodePtr>>(&value)) {
      *list = choose(*list);
    }
    return value;
  }

  // Gives `copy` the parameters of the converted world if its instance may stay.
  bool keep(const wbt::Node& node, wbt::Node& copy) {
    if (refused_.contains(node.id)) {
      return false;
    }
    const Subtree all(node);
    Subtree given{wbt::Value(wbt::NodePtr())};
    auto instance = std::make_shared<wbt::ProtoInstance>(*node.proto.instance);
    wbt::sort_connections(instance->connections);
    const auto& parameters = instance->interface->fields;
    for (std::uint32_t i = 0; i < parameters.size(); ++i) {
      const wbt::Value* value = converted_parameter(*instance, i, all.by_id());
      if (value == nullptr) {
        return refuse(node, fmt::format("its template uses the nodes in '{}', which change",
                                        parameters[i].name));
      }
      if (wbt::equal(*value, present_value(parameters[i].default_value))) {
        instance->given[i].reset();
      } else {
        instance->given[i] = *value;
        given.add(*value);
      }
    }
    NodesById own = all.by_id();
    std::erase_if(own, [&](const auto& item) { return given.by_id().contains(item.first); });
    for (const auto& [id, below] : own) {
      for (const auto* i = below->proto.instance.get(); i != nullptr; i = i->base.get()) {
        if (const std::string& fault = fault_of(*i->interface); !fault.empty()) {
          return refuse(node, fmt::format("{} {}", file_of(*i->interface), fault));
        }
      }
    }
    for (auto& value : instance->given) {
      value = value ? std::optional(choose(std::move(*value))) : std::nullopt;
    }
    copy.proto.instance = std::move(instance);
    note_kept(own, node.proto.instance->interface->path);
    return true;
  }

  void note_kept(const NodesById& nodes, const std::string& path) {
    for (const auto& [id, node] : nodes) {
      nodes_.insert(id);
      instances_ += node->proto.instance != nullptr ? 1 : 0;
    }
    if (std::find(files_.begin(), files_.end(), path) == files_.end()) {
      files_.push_back(path);
    }
  }

  // Returns the value of a field of the converted body, or the parameter itself. Returns null if
  // the parameter contains nodes of an older version that are in no field.
  static const wbt::Value* converted_parameter(const wbt::ProtoInstance& instance,
                                               std::uint32_t parameter, const NodesById& body) {
    const wbt::Value& given = instance.value(parameter);
    for (const wbt::Connection& c : wbt::connections_of(instance.connections, parameter)) {
      const auto owner = c.field != nullptr ? body.find(c.node) : body.end();
      const wbt::Field* field = owner != body.end() ? owner->second->find(c.field->name) : nullptr;
      if (field != nullptr && field->value.index() == given.index()) {
        return &field->value;
      }
    }
    const bool is_default = wbt::equal(given, instance.interface->fields[parameter].default_value);
    return is_default || all_are_present(given) ? &given : nullptr;
  }

  bool refuse(const wbt::Node& node, const std::string& reason) {
    refused_.insert(node.id);
    if (warned_.insert({node.proto.name, reason}).second) {
      diagnostics_.warning(node.where, fmt::format("PROTO '{}' is written out as its nodes: {}",
                                                   node.proto.name, reason));
    }
    return false;
  }

  static std::string file_of(const wbt::ProtoInterface& interface) {
    return interface.path.empty() ? fmt::format("PROTO '{}'", interface.name)
                                  : fmt::format("'{}'", interface.path);
  }

  const std::string& fault_of(const wbt::ProtoInterface& interface) {
    const auto [known, is_new] = faults_.try_emplace(interface.path);
    if (is_new) {
      known->second = interface.path.empty()
                          ? "has no file here: servosim makes its shapes without one"
                          : ProtoText(text_of(interface.path)).fault();
    }
    return known->second;
  }

  std::string text_of(const std::string& file) const {
    auto text = world_.library->read(file);
    auto* known = std::get_if<std::string>(&text);
    return known != nullptr ? std::move(*known) : std::string();
  }

  // Reads the text back. Refuses instances that result in other nodes. @return what else differs
  std::string compare(const wbt::WorldFile& chosen, const std::string& text) {
    Diagnostics diagnostics;
    wbt::WorldFile again = wbt::read_world_text(text, "OUT", folder_, options_, diagnostics);
    if (diagnostics.errors() > 0) {
      return "in the result " + diagnostics.list().back().message;
    }
    move_urls(again, folder_, diagnostics.sources());
    again.nodes = with_present_rows(again.nodes);
    compared_.clear();
    const std::size_t refused = refused_.size();
    const bool same = compare(chosen.nodes, again.nodes) && refused_.size() == refused;
    return same && wbt::equal(chosen, again) ? "" : "the result does not read back the same";
  }

  // Returns whether all nodes outside of instances have the same nodes below them.
  bool compare(const std::vector<wbt::NodePtr>& nodes, const std::vector<wbt::NodePtr>& again) {
    bool same = nodes.size() == again.size();
    for (std::size_t i = 0; same && i < nodes.size(); ++i) {
      same = compare(nodes[i], again[i]);
    }
    return same;
  }

  bool compare(const wbt::NodePtr& node, const wbt::NodePtr& again) {
    if (!node || !again || !compared_.insert(node.get()).second) {
      return !node == !again;
    }
    if (kept_.contains(node.get())) {
      return wbt::equal(wbt::Value(node), wbt::Value(again)) ||
             !refuse(*node, "its file makes other nodes of what is converted");
    }
    bool same = node->fields.size() == again->fields.size();
    for (std::size_t i = 0; same && i < node->fields.size(); ++i) {
      const wbt::Value& value = node->fields[i].value;
      const wbt::Value& other = again->fields[i].value;
      const auto* one = std::get_if<wbt::NodePtr>(&value);
      const auto* list = std::get_if<std::vector<wbt::NodePtr>>(&value);
      same = value.index() == other.index() &&
             (one == nullptr || compare(*one, std::get<wbt::NodePtr>(other))) &&
             (list == nullptr || compare(*list, std::get<std::vector<wbt::NodePtr>>(other)));
    }
    return same;
  }

  const wbt::WorldFile& world_;
  const std::string& folder_;
  const wbt::ReadOptions& options_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> faults_;             // faults of PROTO files by path
  Ids refused_;                                           // roots of instances that become nodes
  std::set<std::pair<std::string, std::string>> warned_;  // pairs of PROTO and reason

  // These describe the last choice.
  std::unordered_map<wbt::NodePtr, wbt::NodePtr> chosen_;  // the key is a node of `world_`
  std::unordered_set<const wbt::Node*> kept_;              // roots of instances
  Ids nodes_;                                              // see WorldWithProtos
  std::size_t instances_ = 0;
  std::vector<std::string> files_;  // files of PROTOs, in order of use
  std::unordered_set<const wbt::Node*> compared_;
};

}  // namespace

WorldWithProtos write_with_protos(const wbt::WorldFile& world, const std::string& folder,
                                  const wbt::ReadOptions& options, Diagnostics& diagnostics) {
  return ProtoKeeper(world, folder, options, diagnostics).write();
}

}  // namespace servosim
