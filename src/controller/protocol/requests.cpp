// SPDX-License-Identifier: Apache-2.0
#include "controller/protocol/requests.h"

namespace servosim {

void encode_ask_body(Writer& writer, const Ask& ask) {
  writer.u8(static_cast<std::uint8_t>(ask.kind));
  writer.i32(ask.node);
  writer.u8(ask.level);
  writer.u16(ask.field);
  writer.u8(ask.type);
  writer.i32(ask.index);
  writer.i32(ask.integer);
  writer.u8(ask.count);
  writer.numbers(std::span(ask.numbers).first(ask.count));
  writer.text(ask.text);
  writer.text(ask.more);
  writer.u16(ask.slot);
  writer.i32(ask.period_ms);
}

bool decode_ask_body(Reader& reader, Ask& ask) {
  const std::uint8_t kind = reader.u8();
  ask.kind = static_cast<AskKind>(kind);
  ask.node = reader.i32();
  ask.level = reader.u8();
  ask.field = reader.u16();
  ask.type = reader.u8();
  ask.index = reader.i32();
  ask.integer = reader.i32();
  ask.count = reader.u8();
  if (kind > static_cast<std::uint8_t>(kLastAsk) || ask.count > kMostAskNumbers ||
      ask.node < kNoNode) {
    return false;
  }
  for (std::size_t i = 0; i < ask.count; ++i) {
    ask.numbers[i] = reader.f64();
  }
  ask.text = reader.text();
  ask.more = reader.text();
  ask.slot = reader.u16();
  ask.period_ms = reader.i32();
  return reader.ok() && ask.period_ms >= 0;
}

void encode_told_body(Writer& writer, const Told& told) {
  writer.i32(told.integer);
  writer.i32(told.node);
  writer.u8(told.type);
  writer.u8(told.flags);
  writer.u8(told.level);
  writer.u32(static_cast<std::uint32_t>(told.count()));
  writer.numbers(std::span<const std::byte>(told.numbers));
  writer.text(told.text);
  writer.text(told.more[0]);
  writer.text(told.more[1]);
}

bool decode_told_body(Reader& reader, Told& told) {
  told.integer = reader.i32();
  told.node = reader.i32();
  told.type = reader.u8();
  told.flags = reader.u8();
  told.level = reader.u8();
  const std::uint64_t count = reader.u32();
  told.numbers = reader.take(count * sizeof(double));
  told.text = reader.text();
  told.more = {reader.text(), reader.text()};
  return reader.ok();
}

}  // namespace servosim
