// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/shortage.h"
#include "base/sockets.h"
#include "base/text.h"
#include "cli/run_arguments.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "view/live/live_view.h"
#include "view/replay_page.h"

namespace servosim {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

// Whether it means all addresses of this machine, such as 0.0.0.0, 0 or ::.
bool means_all_addresses(const std::string& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0) {
    return false;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  if (found->ai_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, found->ai_addr, sizeof in);
    return in.sin_addr.s_addr == htonl(INADDR_ANY);
  }
  sockaddr_in6 in{};
  std::memcpy(&in, found->ai_addr, sizeof in);
  const in6_addr& ip = in.sin6_addr;
  constexpr std::array<std::uint8_t, 4> kNone{};
  return IN6_IS_ADDR_UNSPECIFIED(&ip) ||
         (IN6_IS_ADDR_V4MAPPED(&ip) && std::memcmp(&ip.s6_addr[12], kNone.data(), 4) == 0);
}

// A browser cannot open the address that would be printed, and it would not know by which address
// other machines reach this one.
void refuse_all_addresses(const std::string& value, const LiveServerOptions& options) {
  if (!means_all_addresses(options.address)) {
    return;
  }
  const std::optional<net::Address> own = net::own_address();
  const std::string port = options.port != 0 ? fmt::format(":{}", options.port) : "";
  throw InputError(
      fmt::format("--view={}: name one address of this machine, which a browser can "
                  "open, such as --view={}{}",
                  value, own ? net::ip_text(*own) : kLoopback, port));
}

// `PORT`, `ADDRESS`, `ADDRESS:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`
LiveServerOptions read_address(const std::string& value) {
  LiveServerOptions options;
  const auto port_of = [&](std::string_view text) {
    const auto port = parse_number<int>(text);
    if (!port || *port < 0 || *port > 65535) {
      throw InputError(fmt::format(
          "--view={}: give a PORT from 0 to 65535 (0: any that is free), or ADDRESS:PORT", value));
    }
    return static_cast<std::uint16_t>(*port);
  };
  const std::size_t colon = value.ends_with(']') ? value.npos : value.rfind(':');
  const bool is_port = value.find_first_not_of("+-0123456789") == value.npos;
  if (colon == value.npos && is_port) {
    options.port = port_of(value);
    return options;
  }
  options.port = colon == value.npos ? 0 : port_of(std::string_view(value).substr(colon + 1));
  options.address = value.substr(0, colon);
  if (options.address.size() > 1 && options.address.front() == '[' &&
      options.address.back() == ']') {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  refuse_all_addresses(value, options);
  return options;
}

class ViewInterface final : public RemoteInterface {
 public:
  void add_options(CLI::App& command) override {
    CLI::Option* const view = command.add_flag(
        "--view{0}", address_,
        "Show the run in a browser at the address that is printed; --view=PORT, or "
        "--view=ADDRESS:PORT for other machines, chooses it");
    command
        .add_flag(
            "--view-control", has_control_,
            "Who watches may pause, step and reset the run, change its speed, and move motors")
        ->needs(view);
  }
  bool enabled() const override { return !address_.empty(); }
  std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const override {
    if (!has_replay_page()) {
      throw InputError(fmt::format("--view: {}", kNoReplayPage));
    }
    LiveViewOptions options;
    options.server = read_address(address_);
    options.server.page = live_page();
    options.has_control = has_control_;
    const bool is_exposed = options.server.address != kLoopback;
    try {
      auto view = std::make_unique<LiveView>(simulation, std::move(options));
      console.print(fmt::format("view: {}\n", view->url()));
      if (is_exposed) {
        console.warn("--view: who can connect to this address and knows the token can watch" +
                     std::string(has_control_ ? " and control the run" : " the run") +
                     "; nothing of it is encrypted");
      }
      return view;
    } catch (const std::runtime_error& error) {
      rethrow_if_short(error);
      throw InputError(fmt::format("--view: {}", error.what()));
    }
  }

 private:
  std::string address_;  // of the flag; empty: not given
  bool has_control_ = false;
};

}  // namespace

std::unique_ptr<RemoteInterface> view_interface() { return std::make_unique<ViewInterface>(); }

}  // namespace servosim
