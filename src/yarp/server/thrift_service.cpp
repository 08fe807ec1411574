// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/thrift_service.h"

#include <algorithm>

namespace servosim::yarp::server {

bool ThriftService::request(const Bottle& message, const Respond& respond) const {
  const std::span<const BottleValue> items(message.items);
  const std::string* const name = items.empty() ? nullptr : as_string(items.front());
  if (name != nullptr && *name == "help") {
    respond(help(items.subspan(1)));
    return true;
  }
  const Method* const method = name != nullptr ? find(items.front()) : nullptr;
  if (method != nullptr && method->call(items.subspan(1), respond)) {
    return true;
  }
  respond(Bottle{{Vocab("fail")}});
  return false;
}

const ThriftService::Method* ThriftService::find(const BottleValue& name) const {
  const std::string* const text = as_string(name);
  const auto found = std::find_if(methods_.begin(), methods_.end(), [text](const Method& method) {
    return text != nullptr && method.name == *text;
  });
  return found != methods_.end() ? &*found : nullptr;
}

// [many] lets `yarp rpc` print each item on its own line.
Bottle ThriftService::help(ThriftArguments arguments) const {
  Bottle lines{{}, true};
  if (arguments.empty()) {
    lines.add(std::string("*** Available commands:"));
    for (const Method& method : methods_) {
      lines.add(method.name);
    }
    lines.add(std::string("help"));
  } else if (const Method* const method = find(arguments.front())) {
    lines.add(method->prototype);
    lines.add(method->about);
  } else {
    lines.add(std::string("Command not found"));
  }
  return {{Vocab("many"), std::move(lines)}, true};
}

}  // namespace servosim::yarp::server
