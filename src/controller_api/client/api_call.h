// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <limits>
#include <type_traits>

#include "base/printable.h"
#include "controller_api/client/client.h"
#include "controller_api/client/ending.h"

namespace servosim {

/// The client of this process. The first call creates it by environment variables; it warns unless
/// the call is `by_init`. @throws Ending if that fails
ControllerClient& current_client(const char* function, bool by_init);

/// The function that the program has called, if it is another name of the one that runs.
inline thread_local const char* called_as = nullptr;

/// The return value of a C function after an error.
template <typename Result>
Result nothing() {
  if constexpr (std::is_floating_point_v<Result>) {
    return std::numeric_limits<Result>::quiet_NaN();
  } else if constexpr (!std::is_void_v<Result>) {
    return Result{};
  }
}

/// Runs `body(client, lock)`, the body of a function of the C API, with the client locked. No
/// exception leaves it: an Ending goes to conclude(), and another one is printed as `Error:
/// function(): text`.
template <typename Body>
auto api_call(const char* function, Body&& body, bool is_init = false) noexcept {
  using Result = std::invoke_result_t<Body, ControllerClient&, ControllerClient::Lock&>;
  function = called_as != nullptr ? called_as : function;
  try {
    ControllerClient& client = current_client(function, is_init);
    ControllerClient::Lock lock(client.mutex());
    client.enter(function);
    return body(client, lock);
  } catch (const Ending& ending) {
    conclude(ending);
  } catch (const std::exception& error) {
    print_error(function, error);
  } catch (...) {
    print_to_stderr("Error", "unknown error.", function);
  }
  return nothing<Result>();
}

/// Calls another function of the API; errors name `function`.
template <typename Result, typename... Parameters, typename... Arguments>
Result alias(const char* function, Result (*original)(Parameters...), Arguments... arguments) {
  struct Name {
    explicit Name(const char* name) { called_as = name; }
    ~Name() { called_as = nullptr; }
  } const name(function);
  return original(arguments...);
}

/// @throws CallError if `bad`
inline void refuse(bool bad, const char* why) {
  if (bad) {
    throw CallError(why);
  }
}

/// Enables sampling of a position every `period_ms`, by a sensor or by a motor that measures it.
void enable_position(ClientDevice& device, int period_ms);
/// The last sample of a position. Reports an error if it is not sampled now.
double last_position(const ControllerClient& client, const ClientDevice& device);

}  // namespace servosim
