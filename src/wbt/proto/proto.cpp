// SPDX-License-Identifier: Apache-2.0
#include "wbt/proto/proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "assets/address.h"
#include "base/assert.h"
#include "base/files.h"
#include "wbt/eras/version.h"
#include "wbt/interface_reader.h"
#include "wbt/lexer.h"

namespace servosim::wbt {
namespace {

void load_interface(ParseContext& reading, Proto& proto) {
  warn_if_newer(reading.diagnostics, proto.source);
  check_extension_marks(proto.source, reading.diagnostics);
  reading.open.push_back(&proto);
  ++reading.open_template_values;  // a template may use the default values
  read_interface(reading, proto);
  --reading.open_template_values;
  reading.open.pop_back();
  if (proto.body > 0) {
    proto.script = find_template(proto.source.text, proto.body);
  }
}

// Known PROTOs are identified by path and, if the file has no header, by the version of the file
// that uses them.
const Proto& load(ParseContext& reading, std::string_view name, const std::string& path,
                  const Version& user_version) {
  auto proto = std::make_unique<Proto>();
  proto->name = name;
  proto->path = path;
  proto->project = project_of(path, "protos");
  Source& source = proto->source;
  source.folder = assets::folder_of(path);
  source.version = user_version;
  auto content = reading.finder.read(path);
  if (const auto* failure = std::get_if<FileError>(&content)) {
    proto->defect = fmt::format("in {} {}", path, failure->reason);
    return *(reading.protos[{path, Version{}}] = std::move(proto));
  }
  SourceMap& sources = reading.diagnostics.sources();
  source.file = sources.add(path, std::move(std::get<std::string>(content)));
  source.text = sources.text(source.file);
  const auto version = header_version(source.text);
  source.version = version.value_or(user_version);
  // The PROTO is registered before it is loaded, since it may use itself.
  auto& known = reading.protos[{path, version ? Version{} : user_version}] = std::move(proto);
  load_interface(reading, *known);
  return *known;
}

const Proto* load_builtin_proto(ParseContext& reading, std::string_view name, const Source& user) {
  std::string interface = builtin_interface(name, user.version);
  if (interface.empty()) {
    return nullptr;
  }
  auto& known = reading.protos[{fmt::format("<{}>", name), user.version}];
  if (!known) {
    known = std::make_unique<Proto>();
    known->name = name;
    known->source = user;
    SourceMap& sources = reading.diagnostics.sources();
    known->source.file = sources.add(fmt::format("<{}>", name), std::move(interface));
    known->source.text = sources.text(known->source.file);
    known->write_body = builtin_body_writer(name);
    read_interface(reading, *known);
  }
  return known.get();
}

const Proto* load_stand_in(ParseContext& reading, std::string_view name) {
  const std::string label = fmt::format("<{}>", name);
  auto& known = reading.protos[{label, Version{}}];
  if (!known) {
    const std::string_view text = stand_in_text(name);
    if (text.empty()) {
      reading.protos.erase({label, Version{}});
      return nullptr;
    }
    known = std::make_unique<Proto>();
    known->name = name;
    known->stand_in = std::make_shared<const StandIn>(read_stand_in(text));
    Source& source = known->source;
    SourceMap& sources = reading.diagnostics.sources();
    source.file = sources.add(label, std::string(text));
    source.text = sources.text(source.file);
    source.version = header_version(source.text).value_or(kNewestVersion);
    source.is_stand_in = true;
    Proto& proto = *known;
    load_interface(reading, proto);
    SERVOSIM_ASSERT(proto.defect.empty(), "the stand-in {} {}", name, proto.defect);
    return &proto;
  }
  return known.get();
}

// Returns servosim's own version of a PROTO; null if there is none.
const Proto* load_own(ParseContext& reading, std::string_view name, const Source& user) {
  if (!reading.use_stand_ins) {
    return nullptr;
  }
  const Proto* builtin = load_builtin_proto(reading, name, user);
  return builtin != nullptr ? builtin : load_stand_in(reading, name);
}

}  // namespace

std::optional<std::size_t> Environment::find(std::string_view name) const {
  const auto found = proto.parameter_numbers.find(name);
  return found != proto.parameter_numbers.end() ? std::optional<std::size_t>(found->second)
                                                : std::nullopt;
}

const Value& Environment::value(std::size_t parameter) const {
  const std::optional<Value>& value = given[parameter];
  return value ? *value : proto.parameters[parameter].default_value;
}

const Value& Environment::value(std::string_view name) const {
  if (const auto parameter = find(name)) {
    return value(*parameter);
  }
  throw std::out_of_range(fmt::format("PROTO {} has no parameter '{}'", proto.name, name));
}

void warn_if_newer(Diagnostics& diagnostics, const Source& source) {
  const Version release{source.version.major, source.version.minor, 0};
  if (release > kNewestVersion) {
    diagnostics.warning(source.at(0),
                        fmt::format("this file is of Webots {}, newer than the newest known, {}",
                                    to_string(source.version), to_string(kNewestVersion)));
  }
}

std::shared_ptr<const ProtoInterface> interface_of(const Proto& proto) {
  if (!proto.interface) {
    auto made = std::make_shared<ProtoInterface>();
    made->name = proto.name;
    made->path = proto.path;
    made->user = proto.source.version;
    for (const ProtoParameter& p : proto.parameters) {
      const bool used_by_template =
          proto.write_body != nullptr || (proto.script && proto.script->fields.contains(p.name));
      made->fields.push_back({std::string(p.name), p.type, p.default_value, used_by_template});
    }
    proto.interface = std::move(made);
  }
  return proto.interface;
}

const Proto* find_proto(ParseContext& reading, const ProtoInterface& interface) {
  Source user;
  user.version = interface.user;
  return interface.path.empty() ? load_own(reading, interface.name, user)
                                : &load(reading, interface.name, interface.path, interface.user);
}

const Proto* find_proto(ParseContext& reading, std::string_view name, const Source& user) {
  // The PROTOs of which a stand-in consists must have the interface that it expects.
  const Proto* const part = user.is_stand_in ? load_own(reading, name, user) : nullptr;
  if (part != nullptr) {
    return part;
  }
  if (const std::string_view later = ProtoFinder::later_name(name, user);
      !later.empty() && !reading.finder.is_in_project(name, user)) {
    return find_proto(reading, later, user);
  }
  const std::string& path = reading.finder.find(name, user);
  if (path.empty()) {
    return load_own(reading, name, user);
  }
  const Proto* proto = nullptr;
  for (const Version& version : {Version{}, user.version}) {
    const auto known = reading.protos.find({path, version});
    proto = known != reading.protos.end() ? known->second.get() : proto;
  }
  if (proto == nullptr) {
    proto = &load(reading, name, path, user.version);
  }
  const bool readable = proto->defect.empty() || proto->uses_itself;
  const Proto* builtin = readable ? nullptr : load_own(reading, name, user);
  if (builtin != nullptr) {
    reading.diagnostics.replacement(
        proto->source.at(0),
        fmt::format("PROTO '{}' {}; the built-in PROTO is used instead", name, proto->defect));
  }
  return builtin != nullptr ? builtin : proto;
}

}  // namespace servosim::wbt
