// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/dispatcher.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "yarp/ports/port.h"

namespace servosim::yarp::server {

namespace {

constexpr const char* kUnknownRequest = " is no request of this board; \"help\" lists them";
constexpr const char* kBadShape = " has wrong arguments; it should be: ";

Bottle word(const char* text) { return Bottle{{Vocab(text)}}; }

Dispatcher::Outcome refused(std::string warning, std::string_view kind) {
  return {word("fail"), std::move(warning), kind};
}

std::string usage(std::string_view name, std::string_view arguments) {
  return fmt::format("{}{}{}", name, arguments.empty() ? "" : " ", arguments);
}

const char* return_code(ReturnValue result) {
  switch (result.status) {
    case Status::Ok:
      return "ok";
    case Status::NotAvailable:
      return "err2";
    case Status::OutOfRange:
      return "err7";
    default:
      return "err5";
  }
}

// A command in the wrong mode is dropped. 3.x then answers [ok], as the iCub's driver does.
bool is_done_for_v3(ReturnValue result) { return result || result.status == Status::WrongMode; }

}  // namespace

Dispatcher::Dispatcher(const Timeline& timeline, Board& board, Generation generation)
    : timeline_(timeline), board_(board), generation_(generation) {}

Dispatcher::Outcome Dispatcher::request(const Bottle& message) {
  const BottleValue first = message.empty() ? BottleValue() : message.items.front();
  if (first == BottleValue(std::string("help")) || first == BottleValue(Vocab("help"))) {
    return {help(message), "", ""};
  }
  if (first == BottleValue(std::string("ver")) || first == BottleValue(Vocab("ver"))) {
    return {admin_version_reply(), "", ""};
  }
  return generation_ == Generation::V3 ? request_v3(message) : request_v4(message);
}

Dispatcher::Outcome Dispatcher::request_v3(const Bottle& message) {
  std::size_t taken = 0;
  const Verb* const verb = verbs_.find(message, &taken);
  if (verb == nullptr) {
    return refused(quote(message) + kUnknownRequest, kUnknownRequest);
  }
  Arguments arguments(std::span(message.items).subspan(taken));
  ReplyValues answer(generation_);
  const ReturnValue result = verb->call.function(board_, arguments, answer);
  if (!arguments.ok()) {
    return refused(quote(message) + kBadShape + usage(verb->words, verb->call.arguments),
                   verb->words);
  }
  if (!is_done_for_v3(result)) {
    return refused(verb->gets() ? why_no_value(message, verb->words, result) : "", verb->words);
  }
  return {verb->gets() ? framed(*verb, message, std::move(answer)) : word("ok"), "", verb->words};
}

// The board reports why it refuses a change. Programs ask for a value that does not exist again and
// again, so its absence is reported only once.
std::string Dispatcher::why_no_value(const Bottle& message, std::string_view name,
                                     ReturnValue result) {
  switch (result.status) {
    case Status::OutOfRange:
      return fmt::format("{} is refused: the joints are 0 to {}", quote(message),
                         board_.axes() - 1);
    case Status::BadValue:
      return fmt::format("{} is refused: there is nothing of that kind", quote(message));
    default:
      return not_available_.first(name) ? quote(message) + " is refused: no joint here has that"
                                        : "";
  }
}

// Every method of the interface gets a reply of its full shape, even if it is refused.
Dispatcher::Outcome Dispatcher::request_v4(const Bottle& message) {
  const std::string* const name = message.empty() ? nullptr : as_string(message.items.front());
  if (name != nullptr && *name == "getRemoteProtocolVersion") {
    Writer writer;
    encode_protocol_version_v4(writer);
    return {RawReply{std::string(as_text(writer.bytes())), Bottle{{0, 4, 0, 0}}}, "", ""};
  }
  const Method* const method = name ? find_method(*name) : nullptr;
  if (method == nullptr) {
    return {return_value(return_code({Status::NotAvailable})), quote(message) + kUnknownRequest,
            kUnknownRequest};
  }
  const Verb* const verb = verbs_.find(*method);
  const std::size_t axes = board_.axes();
  if (verb == nullptr) {
    return {bare_reply(*method, return_code({Status::NotAvailable}), axes),
            why_no_value(message, method->name, {Status::NotAvailable}), method->name};
  }
  Arguments arguments(std::span(message.items).subspan(1), generation_);
  ReplyValues answer(generation_);
  const ReturnValue result = verb->call.function(board_, arguments, answer);
  if (!arguments.ok()) {
    return {bare_reply(*method, return_code(kBadArguments), axes),
            quote(message) + kBadShape + usage(method->name, method->takes), method->name};
  }
  std::string warning = result || !verb->gets() ? "" : why_no_value(message, method->name, result);
  Bottle values = answer.take();
  if (values.empty()) {
    return {bare_reply(*method, return_code(result), axes), std::move(warning), method->name};
  }
  values.items.insert(values.items.begin(), BottleValue(return_value(return_code(result))));
  return {std::move(values), std::move(warning), method->name};
}

Bottle Dispatcher::framed(const Verb& verb, const Bottle& message, ReplyValues answer) {
  Bottle reply;
  if (verb.frame.is) {
    reply.add(Vocab("is"));
  }
  switch (verb.frame.echo) {
    case Frame::Echo::Second:
      reply.add(message.items[1]);
      break;
    case Frame::Echo::Last:
      reply.add(Vocab(*as_vocab(message.items[2])));
      break;
    case Frame::Echo::Joint:
      reply.add(Arguments(std::span(message.items).subspan(3)).take<int>());
      break;
    case Frame::Echo::None:
      break;
  }
  Bottle values = answer.take();
  if (verb.frame.list) {
    reply.add(std::move(values));
  } else {
    reply.items.insert(reply.items.end(), std::make_move_iterator(values.items.begin()),
                       std::make_move_iterator(values.items.end()));
  }
  if (verb.frame.stamp) {
    reply.add(Vocab("tsta"));
    reply.add(sequence_number(++stamped_));
    reply.add(timeline_.now());
  }
  reply.add(Vocab("ok"));
  return reply;
}

// [many] lets `yarp rpc` print each item on its own line.
Bottle Dispatcher::help(const Bottle& message) const {
  Arguments arguments(message.items);
  arguments.take<std::string>();
  const auto about = arguments.done() ? std::string() : arguments.take<std::string>();
  const bool v3 = generation_ == Generation::V3;
  Bottle reply = word("many");
  reply.add(
      std::string(v3 ? "j is a joint from 0, x a value, n how many, (..) a list; \"help pos\" "
                       "shows only what has pos in it"
                     : "type[] is a list, (..); \"help Pid\" shows only what has Pid in it"));
  const auto add = [&](std::string_view name, std::string_view its_arguments) {
    if (name.find(about) != std::string_view::npos) {
      reply.add(usage(name, its_arguments));
    }
  };
  if (v3) {
    for (const Verb& verb : verbs_.all()) {
      if (verb.in_v3) {
        add(verb.words, verb.call.arguments);
      }
    }
  } else {
    for (const Method& method : methods()) {
      add(method.name, method.takes);
    }
  }
  return reply;
}

Dispatcher::Outcome Dispatcher::streamed(const Bottle& message) {
  auto parsed = to_streamed(message);
  if (const auto* error = std::get_if<ProtocolError>(&parsed)) {
    return refused(quote(message) + " is " + error->text, kUnknownRequest);
  }
  auto& [head, values] = std::get<StreamedCommand>(parsed);
  std::size_t taken = 0;
  const Verb* const verb = verbs_.find_streamed(head, &taken);
  if (verb == nullptr) {
    return refused(quote(head) + " is no streamed command of this board", kUnknownRequest);
  }
  const std::size_t axes = board_.axes();
  if (values.size() > axes) {
    return refused(fmt::format("{} comes with {} values for {} joints, and is ignored", quote(head),
                               values.size(), axes),
                   verb->words);
  }
  std::vector<BottleValue> items(head.items.begin() + static_cast<std::ptrdiff_t>(taken),
                                 head.items.end());
  items.emplace_back(Bottle{{values.begin(), values.end()}});
  Arguments arguments(items, generation_);
  ReplyValues answer(generation_);
  const ReturnValue result = verb->call.function(board_, arguments, answer);
  if (!arguments.ok()) {
    return refused(fmt::format("{} with {} values is refused; it should be {}", quote(head),
                               values.size(), usage(verb->words, verb->call.arguments)),
                   verb->words);
  }
  return {word(is_done_for_v3(result) ? "ok" : "fail"), "", verb->words};
}

}  // namespace servosim::yarp::server
