// SPDX-License-Identifier: Apache-2.0
#include "view/live/http.h"

#include <gtest/gtest.h>

#include <string>

namespace servosim::http {
namespace {

constexpr const char* kPost =
    "POST /control?a=7&token=0f3&token=9 HTTP/1.1\r\nHost: here:80\r\norigin: http://here:80\r\n"
    "Content-Length: 4\r\n\r\n[35]GET / HTTP/1.1\r\n\r\n";

// Returns the status with which a reader refuses the bytes, 0 if it waits for more, or 200 if it
// has a request.
int status_of(const std::string& bytes) {
  RequestReader reader;
  try {
    return reader.push(as_bytes(bytes)) ? 200 : 0;
  } catch (const RequestError& error) {
    EXPECT_NE(error.why, "");
    return error.status;
  }
}

TEST(HttpRequest, IsReadFromPiecesOfAnySize) {
  const std::string bytes(kPost);
  for (std::size_t cut = 1; cut < bytes.find("GET"); ++cut) {
    RequestReader reader;
    ASSERT_FALSE(reader.push(as_bytes(bytes.substr(0, cut)))) << cut;
    const auto request = reader.push(as_bytes(bytes.substr(cut)));
    ASSERT_TRUE(request) << cut;
    EXPECT_EQ(request->method, "POST");
    EXPECT_EQ(request->path, "/control");
    EXPECT_EQ(request->parameter("token"), "0f3");
    EXPECT_EQ(request->parameter("a"), "7");
    EXPECT_EQ(request->parameter("b"), "");
    EXPECT_EQ(request->host, "here:80");
    EXPECT_EQ(request->origin, "http://here:80");
    EXPECT_EQ(request->body, "[35]");
  }
}

TEST(HttpRequest, IsReadByteByByte) {
  RequestReader reader;
  const std::string bytes(kPost);
  const std::size_t size = bytes.find("GET");
  for (std::size_t i = 0; i + 1 < size; ++i) {
    ASSERT_FALSE(reader.push(as_bytes(bytes.substr(i, 1)))) << i;
  }
  EXPECT_EQ(reader.push(as_bytes(bytes.substr(size - 1, 1)))->body, "[35]");
}

TEST(HttpRequest, WithoutQueryAndFieldsIsWhole) {
  RequestReader reader;
  const auto request = reader.push(as_bytes("GET /stream HTTP/1.0\r\n\r\n"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/stream");
  EXPECT_EQ(request->query + request->host + request->origin + request->body, "");
}

TEST(HttpRequest, IsRefusedWhenItIsTooLongOrNone) {
  const std::string start = "POST / HTTP/1.1\r\n";
  const std::string fill(RequestReader::kMaxHead, 'x');
  EXPECT_EQ(status_of(start + "X: " + fill), 431);
  EXPECT_EQ(status_of(start + "X: " + fill + "\r\n\r\n"), 431);
  EXPECT_EQ(status_of("GET /" + fill), 431);
  EXPECT_EQ(status_of(start + "Content-Length: 4097\r\n\r\n"), 413);
  EXPECT_EQ(status_of(start + "Content-Length: 99999999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(status_of(start + "Content-Length: -5\r\n\r\n"), 400);
  EXPECT_EQ(status_of("\x16\x03\x01 what TLS begins with\r\n\r\n"), 400);
  EXPECT_EQ(status_of(start + "no field\r\n\r\n"), 400);
  EXPECT_EQ(status_of(start + "Content-Length: 4096\r\n\r\n" + std::string(4096, 'y')), 200);
}

TEST(HttpRequest, InChunksHasTheSameLimits) {
  const std::string start = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status_of(start + "3\r\nabc\r\n2;why\r\nde\r\n0\r\n\r\n"), 200);
  EXPECT_EQ(status_of(start + "1001\r\n" + std::string(4097, 'y') + "\r\n0\r\n\r\n"), 413);
  EXPECT_EQ(status_of(start + "3;" + std::string(60000, 'y')), 413);
  EXPECT_EQ(status_of(start + "0\r\nX: " + std::string(60000, 'y')), 413);
  EXPECT_EQ(status_of(start + "-3\r\nabc\r\n"), 400);
}

TEST(HttpHost, NamesTheServerInEverySpelling) {
  const net::HostAddress four("127.0.0.3");
  for (const char* host :
       {"127.0.0.3:8080", "127.3:8080", "0x7f.3:8080", "localhost:8080", "LocalHost:8080",
        "Robot.lan:8080", "[::ffff:127.0.0.3]:8080", "[::ffff:7f00:3]:8080"}) {
    EXPECT_TRUE(names_server(host, four, 8080, "robot.LAN")) << host;
  }
  for (const char* host :
       {"", ":8080", "127.0.0.3", "127.0.0.3:8081", "127.0.0.4:8080", "evil.org:8080",
        "127.0.0.3:+8080", "127.0.0.3:", "[]:8080", "[:8080", "[::3]:8080", "localhost"}) {
    EXPECT_FALSE(names_server(host, four, 8080, "")) << host;
  }
  EXPECT_TRUE(names_server("127.0.0.3", four, 80, ""));
  EXPECT_TRUE(names_server("127.0.0.3:80", four, 80, ""));
  const net::HostAddress six("0:0:0:0:0:0:0:1");
  EXPECT_TRUE(names_server("[::1]:8080", six, 8080, ""));
  EXPECT_TRUE(names_server("[::1]", six, 80, ""));
  EXPECT_FALSE(names_server("[::2]:8080", six, 8080, ""));
}

TEST(HttpAnswer, SaysThatTheConnectionEnds) {
  const std::string head = answer_head(404, "text/plain", 7);
  EXPECT_EQ(head.substr(0, head.find('\r')), "HTTP/1.1 404 Not Found");
  EXPECT_NE(head.find("\r\nConnection: close\r\n"), head.npos);
  EXPECT_NE(head.find("\r\nContent-Length: 7\r\n"), head.npos);
  EXPECT_EQ(head.substr(head.size() - 4), "\r\n\r\n");
  EXPECT_EQ(answer_head(204, "", std::nullopt).find("Content-Length"), head.npos);
}

}  // namespace
}  // namespace servosim::http
