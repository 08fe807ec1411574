// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: everything that reads SRVP's bytes. The first byte of the input chooses who
// listens and how long the pieces are in which the rest comes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/srvp/frames.h"

namespace {

using namespace servosim::srvp;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// What was read can be shown, written, and read again as the same.
template <typename Frame>
void check(const Frame& frame) {
  must(!to_text(frame).empty());
  const std::string bytes = encode(frame);
  must(bytes.size() <= kMaxFrame);
  FrameReader<Frame> reader;
  reader.feed(bytes);
  const auto again = reader.next();
  must(std::holds_alternative<Frame>(again) && std::get<Frame>(again) == frame);
  must(reader.waiting() == 0);
}

/// What came out of a stream: frames as bytes, or why they are none.
struct Heard {
  std::vector<std::string> events;
  bool endless = false;
};

template <typename Frame>
Heard hear(std::string_view bytes, std::size_t piece) {
  FrameReader<Frame> reader;
  Heard heard;
  while (!bytes.empty() && !heard.endless) {
    reader.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
      if (const auto* bad = std::get_if<BadFrame>(&event)) {
        must(!bad->why.empty());
        heard.endless = heard.endless || bad->endless;
        heard.events.push_back(bad->why);
      } else {
        check(std::get<Frame>(event));
        heard.events.push_back(encode(std::get<Frame>(event)));
      }
    }
    must(reader.waiting() <= kMaxFrame);
  }
  return heard;
}

// However a stream is cut, the same is heard.
template <typename Frame>
void check_cuts(std::string_view bytes, std::size_t piece) {
  const Heard whole = hear<Frame>(bytes, bytes.size());
  const Heard cut = hear<Frame>(bytes, piece);
  must(whole.endless || cut.endless || whole.events == cut.events);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t piece = 1 + data[0] / 8;
  switch (data[0] % 8) {
    case 0:
      check_cuts<Login>(bytes, piece);
      break;
    case 1:
      check_cuts<McuAnswer>(bytes, piece);
      break;
    case 2:
      check_cuts<Answer>(bytes, piece);
      break;
    case 3:
      check_cuts<McuOrder>(bytes, piece);
      break;
    default:
      check_cuts<Query>(bytes, piece);
  }
  return 0;
}
