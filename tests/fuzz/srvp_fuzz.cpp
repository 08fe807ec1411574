// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: all readers of SRVP. The first byte of the input selects the reader and the
// size of the pieces in which the rest arrives.
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

// Checks that a frame can be printed and is the same after it is written and read again.
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

/// The events of a stream: frames as bytes, or reasons why they are invalid.
struct Events {
  std::vector<std::string> events;
  bool endless = false;
};

template <typename Frame>
Events read_stream(std::string_view bytes, std::size_t piece) {
  FrameReader<Frame> reader;
  Events result;
  while (!bytes.empty() && !result.endless) {
    reader.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
      if (const auto* bad = std::get_if<BadFrame>(&event)) {
        must(!bad->why.empty());
        result.endless = result.endless || bad->endless;
        result.events.push_back(bad->why);
      } else {
        check(std::get<Frame>(event));
        result.events.push_back(encode(std::get<Frame>(event)));
      }
    }
    must(reader.waiting() <= kMaxFrame);
  }
  return result;
}

// Checks that a stream has the same events in pieces of any size.
template <typename Frame>
void check_cuts(std::string_view bytes, std::size_t piece) {
  const Events whole = read_stream<Frame>(bytes, bytes.size());
  const Events cut = read_stream<Frame>(bytes, piece);
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
