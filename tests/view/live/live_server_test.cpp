// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/raw_client.h"
#include "base/text.h"

namespace servosim {
namespace {

using net::RawClient;

constexpr const char* kPage = "<p>the page</p>";

class LiveServerTest : public testing::Test {
 protected:
  void start(LiveServer::Control control = {}, LiveServerOptions options = {}) {
    options.page = kPage;
    server_.emplace(std::move(options), stream_, std::move(control));
    const std::string url = server_->url();
    const std::size_t colon = url.rfind(':');
    port_ = *parse_number<int>(url.substr(colon + 1, url.find('/', colon) - colon - 1));
    token_ = url.substr(url.find('=') + 1);
  }
  /// Returns the head of a request for `path` with the token. The request is not complete yet.
  std::string head(const std::string& method, const std::string& path) const {
    return fmt::format("{} {}?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", method, path, token_,
                       port_);
  }
  std::string answer_to(const std::string& request) const {
    RawClient client(port_);
    EXPECT_TRUE(client.send(request));
    return client.receive_all();
  }
  RawClient watcher() const {
    RawClient client(port_);
    EXPECT_TRUE(client.send(head("GET", "/stream") + "\r\n"));
    return client;
  }
  static std::string body_of(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
  static std::string status_of(const std::string& answer) { return answer.substr(0, 12); }

  LiveStream stream_;
  std::optional<LiveServer> server_;
  int port_ = 0;
  std::string token_;
};

TEST_F(LiveServerTest, AnswersWhoHasTheToken) {
  start();
  EXPECT_EQ(body_of(answer_to(head("GET", "/") + "\r\n")), kPage);
  EXPECT_EQ(status_of(answer_to(head("GET", "/other") + "\r\n")), "HTTP/1.1 404");
  EXPECT_EQ(status_of(answer_to("GET / HTTP/1.1\r\n\r\n")), "HTTP/1.1 403");
  EXPECT_EQ(status_of(answer_to(head("GET", "/") + "Origin: http://there\r\n\r\n")),
            "HTTP/1.1 403");
  EXPECT_EQ(status_of(answer_to(head("POST", "/control") + "\r\n")), "HTTP/1.1 403");
}

// A browser opens all of these addresses.
TEST_F(LiveServerTest, AnswersAtTheAddressThatItTells) {
  for (const char* spelling : {"127.1", "0x7f.1", "2130706433", "::ffff:127.0.0.1", "LOCALHOST"}) {
    LiveServerOptions options;
    options.address = net::HostAddress(spelling);
    start({}, std::move(options));
    const std::string url = server_->url();
    const std::size_t slash = url.find('/', 7);
    EXPECT_EQ(body_of(answer_to(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n",
                                            url.substr(slash), url.substr(7, slash - 7)))),
              kPage)
        << url;
  }
}

TEST_F(LiveServerTest, SendsThePageOnceHoweverManyRangesAreAskedFor) {
  start();
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 2000; ++i) {
    ranges += ",0-";
  }
  EXPECT_EQ(body_of(answer_to(head("GET", "/") + ranges + "\r\n\r\n")), kPage);
}

TEST_F(LiveServerTest, RefusesWhatDoesNotEnd) {
  start();
  RawClient client(port_);
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\n"));
  while (client.send("X: " + std::string(1000, 'y') + "\r\n")) {
  }
  EXPECT_EQ(status_of(answer_to(head("GET", "/") + "X: " + std::string(20000, 'y'))),
            "HTTP/1.1 431");
  EXPECT_EQ(status_of(answer_to("no HTTP\r\n\r\n")), "HTTP/1.1 400");
}

TEST_F(LiveServerTest, EndsThoughSomebodySendsWithoutEnd) {
  start();
  RawClient client(port_);
  std::atomic<bool> begun = false;
  std::thread dripping([&] {
    for (client.send("GET / HTTP/1.1\r\n"); client.send("X: y\r\n"); begun = true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_TRUE(net::becomes([&] { return begun.load(); }));
  server_.reset();
  dripping.join();
}

TEST_F(LiveServerTest, HasRoomForWatchersHoweverManyOthersConnect) {
  start();
  stream_.set_status("status");
  std::vector<std::unique_ptr<RawClient>> silent;
  for (std::size_t i = 0; i < LiveServer::kMaxVisitors + 5; ++i) {
    silent.push_back(std::make_unique<RawClient>(port_));
    silent.back()->send("GET / HTTP/1.1\r\n");
  }
  EXPECT_EQ(silent.front()->receive_all(), "");  // the oldest connection has lost its place
  RawClient client = watcher();
  stream_.end("END");
  const std::string all = client.receive_all();
  EXPECT_EQ(body_of(all), "statusEND");
}

TEST_F(LiveServerTest, EachWatcherGetsAllToTheEnd) {
  start();
  stream_.set_status("status1 ");
  const std::string scene(3'000'000, 's');  // more than the system takes at once
  stream_.add_frame(scene, "frame1 ");
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(watcher());
    clients.back().receive(1000);
  }
  stream_.add_frame("", "frame2 ");
  stream_.end("END");
  std::vector<std::thread> readers;
  std::vector<std::string> ends(clients.size());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    readers.emplace_back([&, i] {
      clients[i].receive(scene.size() - 1000);
      ends[i] = clients[i].receive(2000);
    });
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
  for (const std::string& end : ends) {
    EXPECT_EQ(end.substr(end.find('f')), "frame1 frame2 END");
  }
}

TEST_F(LiveServerTest, EndsThoughAWatcherTakesNothing) {
  start();
  stream_.add_frame(std::string(50'000'000, 's'), "frame");
  RawClient client = watcher();
  client.receive(1);
  stream_.end("END");
  server_.reset();
}

TEST_F(LiveServerTest, LimitsTheWatchers) {
  start();
  std::vector<RawClient> clients;
  for (std::size_t i = 0; i < LiveServer::kMaxWatchers; ++i) {
    clients.push_back(watcher());
    EXPECT_EQ(clients.back().receive(12), "HTTP/1.1 200");
  }
  EXPECT_EQ(status_of(watcher().receive(12)), "HTTP/1.1 503");
  clients.clear();
  EXPECT_TRUE(net::becomes([&] { return watcher().receive(12) == "HTTP/1.1 200"; }));
}

TEST_F(LiveServerTest, TellsTheStreamWhetherAnybodyWatches) {
  start();
  answer_to(head("GET", "/") + "\r\n");
  EXPECT_FALSE(stream_.is_watched()) << "whoever gets the page does not watch yet";
  {
    RawClient first = watcher();
    EXPECT_EQ(first.receive(12), "HTTP/1.1 200");
    EXPECT_TRUE(stream_.is_watched());
    { watcher().receive(12); }
    EXPECT_TRUE(stream_.is_watched());
  }
  EXPECT_TRUE(net::becomes([&] { return !stream_.is_watched(); }));
}

TEST_F(LiveServerTest, AnswersAControlRequestWhenTheRunHasDoneIt) {
  std::atomic<int> requests = 0;
  std::vector<LiveServer::Answer> answers;
  start([&](const std::string& body, const LiveServer::Answer& answer) {
    EXPECT_EQ(body, "{}");
    answers.push_back(answer);
    ++requests;
  });
  const std::string request = head("POST", "/control") + "Content-Length: 2\r\n\r\n{}";
  RawClient first(port_);
  RawClient second(port_);
  first.send(request);
  ASSERT_TRUE(net::becomes([&] { return requests == 1; }));
  second.send(request);
  ASSERT_TRUE(net::becomes([&] { return requests == 2; }));
  // Requests that wait do not block this one.
  EXPECT_EQ(body_of(answer_to(head("GET", "/") + "\r\n")), kPage);
  answers[1]("no such joint");
  answers[0](std::nullopt);
  EXPECT_EQ(status_of(first.receive_all()), "HTTP/1.1 204");
  const std::string refusal = second.receive_all();
  EXPECT_EQ(status_of(refusal), "HTTP/1.1 400");
  EXPECT_EQ(body_of(refusal), "no such joint\n");
  answers[0]("too late");
}

TEST_F(LiveServerTest, SaysWhyAnAddressCannotBeListenedOn) {
  start();
  const auto reason = [&](const std::string& address, int port) -> std::string {
    try {
      const LiveServer server(
          {.address = net::HostAddress(address), .port = static_cast<std::uint16_t>(port)}, stream_,
          {});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reason("127.0.0.1", port_),
            fmt::format("listening at 127.0.0.1:{}: Address already in use", port_));
  EXPECT_NE(reason("192.0.2.7", 0), "");  // no machine has this address
}

}  // namespace
}  // namespace servosim
