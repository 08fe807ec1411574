// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "base/child_process.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxWatchers = 16;
constexpr std::size_t kThreads = kMaxWatchers + 4;  // others load the page and control
constexpr std::size_t kMaxBody = 4096;              // of a request [bytes]
constexpr auto kWriteTimeout = 5s;
constexpr auto kStatusInterval = 2s;
constexpr auto kTimeToEnd = 1s;

// 128 bits that nobody can guess.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

// In a time that does not tell how much of it is right.
bool is_equal(const std::string& given, const std::string& token) {
  unsigned difference = given.size() == token.size() ? 0u : 1u;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(c ^ token[i]));
  }
  return difference == 0;
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

}  // namespace

class LiveServer::Http {
 public:
  Http(LiveServerOptions options, LiveStream& stream, Control control)
      : options_(std::move(options)),
        stream_(stream),
        control_(std::move(control)),
        token_(random_token()) {
    // Not SO_REUSEPORT, with which two servers would share a port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
    });
    server_.set_tcp_nodelay(true);
    server_.set_write_timeout(kWriteTimeout);
    server_.set_payload_max_length(kMaxBody);
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"}});
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      if (is_admitted(request)) {
        return httplib::Server::HandlerResponse::Unhandled;
      }
      refuse(response, 403, "The address needs the token that servosim run has printed.");
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.Get("/", [this](const auto&, auto& response) {
      response.set_content(options_.page, "text/html; charset=utf-8");
    });
    server_.Get("/stream", [this](const auto&, auto& response) { watch(response); });
    server_.Post("/control", [this](const auto& request, auto& response) {
      if (!control_) {
        refuse(response, 403,
               "The run was started without --view-control: it can only be watched.");
      } else if (const auto why = control_(request.body)) {
        refuse(response, 400, *why);
      } else {
        response.status = 204;
      }
    });
    port_ = options_.port != 0 && server_.bind_to_port(options_.address.c_str(), options_.port)
                ? options_.port
            : options_.port == 0 ? server_.bind_to_any_port(options_.address.c_str())
                                 : -1;
    if (port_ <= 0) {
      throw std::runtime_error(fmt::format(
          "cannot listen on {}:{}: the port is taken, or the address is none of this machine",
          options_.address, options_.port));
    }
    const BlockedSignals blocked;  // those of the process are for the run
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) {  // else stop() would not reach it
      std::this_thread::sleep_for(1ms);
    }
  }

  ~Http() {
    const auto until = std::chrono::steady_clock::now() + kTimeToEnd;
    while (watchers_ > 0 && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(10ms);
    }
    is_over_ = true;
    server_.stop();
    thread_.join();
  }

  std::string url() const { return fmt::format("http://{}/?token={}", host(), token_); }

 private:
  std::string host() const {
    const bool is_ip6 = options_.address.find(':') != std::string::npos;
    return is_ip6 ? fmt::format("[{}]:{}", options_.address, port_)
                  : fmt::format("{}:{}", options_.address, port_);
  }

  // A page of another origin knows no token; that of a name that leads here has another host.
  bool is_admitted(const httplib::Request& request) const {
    const std::string origin = request.get_header_value("Origin");
    const std::string of_host = request.get_header_value("Host");
    return (of_host == host() || of_host == fmt::format("localhost:{}", port_)) &&
           (origin.empty() || origin == "http://" + of_host) &&
           is_equal(request.get_param_value("token"), token_);
  }

  void watch(httplib::Response& response) {
    if (watchers_.fetch_add(1) >= kMaxWatchers) {
      --watchers_;
      refuse(response, 503, fmt::format("{} watch already.", kMaxWatchers));
      return;
    }
    response.set_chunked_content_provider(
        "application/octet-stream",
        [this, watcher = LiveStream::Watcher(), out = std::string()](
            std::size_t, httplib::DataSink& sink) mutable {
          out.clear();
          const bool more = stream_.wait(watcher, out, kStatusInterval);
          if (is_over_ || !sink.write(out.data(), out.size())) {
            return false;
          }
          if (!more) {
            sink.done();
          }
          return true;
        },
        [this](bool) { --watchers_; });
  }

  const LiveServerOptions options_;
  LiveStream& stream_;
  const Control control_;
  const std::string token_;
  int port_ = -1;
  std::atomic<std::size_t> watchers_ = 0;
  std::atomic<bool> is_over_ = false;
  httplib::Server server_;
  std::thread thread_;
};

LiveServer::LiveServer(LiveServerOptions options, LiveStream& stream, Control control)
    : http_(std::make_unique<Http>(std::move(options), stream, std::move(control))) {}
LiveServer::~LiveServer() = default;
std::string LiveServer::url() const { return http_->url(); }

}  // namespace servosim
