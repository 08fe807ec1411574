// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "yarp/ports/input_connection.h"
#include "yarp/protocol/bottle.h"

namespace servosim::yarp::server {

/// The items of a request after the name of its method.
using ThriftArguments = std::span<const BottleValue>;

/// A service with the encoding of YARP's thrift compiler. A request is the name of a method and its
/// arguments, and a reply is a list whose items have their tags:
///
///     getStepSize            (0.001)                    a value
///     stepSimulationAndWait  ()                         a method without a result
///     pauseSimulation        ([done])                   a method whose caller does not wait for it
///     help                   ([many] ("*** Available commands:" getStepSize ... help))
///     help getStepSize       ([many] ("double getStepSize()" "The length of a step [s]."))
///     anything else          [fail]
class ThriftService {
 public:
  struct Method {
    std::string name;
    std::string prototype;  ///< name, arguments and result, for people
    std::string about;      ///< what it does, for people
    /// Carries out a request and responds once, now or later. Returns false, without a response, if
    /// the arguments are wrong.
    std::function<bool(ThriftArguments, const Respond&)> call;
  };

  explicit ThriftService(std::vector<Method> methods) : methods_(std::move(methods)) {}

  /// Answers a request. Returns false if the reply is [fail], which it has sent then.
  bool request(const Bottle& message, const Respond& respond) const;

  /// The replies of a method with a value, with no result, and with a caller who does not wait.
  static Bottle value(BottleValue value) { return {{std::move(value)}, true}; }
  static Bottle nothing() { return {{}, true}; }
  static Bottle done() { return {{Vocab("done")}, true}; }

 private:
  Bottle help(ThriftArguments arguments) const;
  const Method* find(const BottleValue& name) const;

  std::vector<Method> methods_;
};

}  // namespace servosim::yarp::server
