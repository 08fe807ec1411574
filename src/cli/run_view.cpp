// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
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

// An address that means all addresses, such as 0.0.0.0, does not tell by which one other machines
// reach this one.
void refuse_what_no_browser_opens(const std::string& value, const LiveServerOptions& options) {
  if (!options.address.is_any() && !options.address.is_link_local()) {
    return;
  }
  const std::optional<net::Address> own = net::own_address();
  const std::string port = options.port != 0 ? fmt::format(":{}", options.port) : "";
  throw InputError(
      fmt::format("--view={}: name one address of this machine, which a browser can "
                  "open, such as --view={}{}",
                  value, own ? net::ip_text(*own) : net::HostAddress().text(), port));
}

// Reads `PORT`, `:PORT`, `ADDRESS`, `ADDRESS:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
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
  std::string host = value.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (!host.empty()) {
    try {
      options.address = net::HostAddress(host);
    } catch (const std::runtime_error& error) {
      rethrow_if_short(error);
      throw InputError(fmt::format("--view={}: {}", value, error.what()));
    }
    options.name = host;
  }
  refuse_what_no_browser_opens(value, options);
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
    const bool is_exposed = !options.server.address.is_loopback();
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
  std::string address_;  // value of the option; empty if it is not given
  bool has_control_ = false;
};

}  // namespace

std::unique_ptr<RemoteInterface> view_interface() { return std::make_unique<ViewInterface>(); }

}  // namespace servosim
