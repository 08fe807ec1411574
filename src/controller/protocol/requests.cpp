// SPDX-License-Identifier: Apache-2.0
#include "controller/protocol/requests.h"

namespace servosim {

void encode_supervisor_request_body(Writer& writer, const SupervisorRequest& request) {
  writer.u8(static_cast<std::uint8_t>(request.kind));
  writer.i32(request.node);
  writer.u8(request.level);
  writer.u16(request.field);
  writer.u8(request.type);
  writer.i32(request.index);
  writer.i32(request.integer);
  writer.u8(request.count);
  writer.numbers(std::span(request.numbers).first(request.count));
  writer.text(request.text);
  writer.text(request.more);
  writer.u16(request.slot);
  writer.i32(request.period_ms);
}

bool decode_supervisor_request_body(Reader& reader, SupervisorRequest& request) {
  const std::uint8_t kind = reader.u8();
  request.kind = static_cast<SupervisorRequestKind>(kind);
  request.node = reader.i32();
  request.level = reader.u8();
  request.field = reader.u16();
  request.type = reader.u8();
  request.index = reader.i32();
  request.integer = reader.i32();
  request.count = reader.u8();
  if (kind > static_cast<std::uint8_t>(kLastSupervisorRequest) ||
      request.count > kMaxRequestNumbers || request.node < kNoNode) {
    return false;
  }
  for (std::size_t i = 0; i < request.count; ++i) {
    request.numbers[i] = reader.f64();
  }
  request.text = reader.text();
  request.more = reader.text();
  request.slot = reader.u16();
  request.period_ms = reader.i32();
  return reader.ok() && request.period_ms >= 0;
}

void encode_supervisor_response_body(Writer& writer, const SupervisorResponse& response) {
  writer.i32(response.integer);
  writer.i32(response.node);
  writer.u8(response.type);
  writer.u8(response.flags);
  writer.u8(response.level);
  writer.u32(static_cast<std::uint32_t>(response.count()));
  writer.numbers(std::span<const std::byte>(response.numbers));
  writer.text(response.text);
  writer.text(response.more[0]);
  writer.text(response.more[1]);
}

bool decode_supervisor_response_body(Reader& reader, SupervisorResponse& response) {
  response.integer = reader.i32();
  response.node = reader.i32();
  response.type = reader.u8();
  response.flags = reader.u8();
  response.level = reader.u8();
  const std::uint64_t count = reader.u32();
  response.numbers = reader.take(count * sizeof(double));
  response.text = reader.text();
  response.more = {reader.text(), reader.text()};
  return reader.ok();
}

}  // namespace servosim
