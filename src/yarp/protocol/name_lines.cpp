// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/name_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/text.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kBetweenWords = " \t\r\n";
constexpr std::string_view kChoose = "...";

Words split(std::string_view line) {
  Words words;
  for (std::size_t at = line.find_first_not_of(kBetweenWords); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetweenWords, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBetweenWords, end);
  }
  return words;
}

std::string_view word(const Words& words, std::size_t index) {
  return index < words.size() ? words[index] : std::string_view();
}

// Returns an empty text for a field that the server is to choose.
std::string chosen(const Words& words, std::size_t index) {
  const std::string_view text = word(words, index);
  return text == kChoose ? std::string() : std::string(text);
}

std::optional<int> parse_port(std::string_view text) {
  const auto port = parse_number<int>(text);
  return port && *port >= -1 && *port <= 65535 ? port : std::nullopt;
}

NameRequest parse_register(const Words& words) {
  Contact contact{chosen(words, 2), chosen(words, 4), 0, chosen(words, 3)};
  const std::string port = chosen(words, 5);
  if (!port.empty()) {
    const std::optional<int> number = parse_port(port);
    if (!number) {
      return ProtocolError{fmt::format("{} is no port number", port)};
    }
    contact.port = std::max(*number, 0);
  }
  return RegisterName{std::move(contact)};
}

std::vector<std::string> strings_from(const Words& words, std::size_t first) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end()};
}

template <typename PortRequest>
NameRequest named(const Words& words) {
  return PortRequest{std::string(words[2])};
}

NameRequest parse_set(const Words& words) {
  return SetProperty{std::string(words[2]), std::string(words[3]), strings_from(words, 4)};
}
NameRequest parse_get(const Words& words) {
  return GetProperty{std::string(words[2]), std::string(words[3])};
}
NameRequest parse_check(const Words& words) {
  return CheckProperty{std::string(words[2]), std::string(words[3]), std::string(words[4])};
}
NameRequest parse_list(const Words&) { return ListNames{}; }

struct Form {
  std::string_view verb;
  std::size_t least_words;
  std::string_view usage;
  NameRequest (*parse)(const Words&);
};

constexpr Form kForms[] = {
    {"query", 3, "query NAME", named<QueryName>},
    {"register", 3, "register NAME CARRIER IP PORT", parse_register},
    {"unregister", 3, "unregister NAME", named<UnregisterName>},
    {"list", 2, "list", parse_list},
    {"set", 4, "set NAME KEY VALUE...", parse_set},
    {"get", 4, "get NAME KEY", parse_get},
    {"check", 5, "check NAME KEY VALUE", parse_check},
    {"announce", 3, "announce NAME", named<AnnounceName>},
};

std::string_view or_choose(const std::string& text) {
  return text.empty() ? kChoose : std::string_view(text);
}

struct RequestText {
  std::string operator()(const QueryName& r) const { return "query " + r.name; }
  std::string operator()(const RegisterName& r) const {
    const Contact& c = r.contact;
    return fmt::format("register {} {} {} {}", or_choose(c.name), or_choose(c.carrier),
                       or_choose(c.ip), c.port > 0 ? c.port : -1);
  }
  std::string operator()(const UnregisterName& r) const { return "unregister " + r.name; }
  std::string operator()(const ListNames&) const { return "list"; }
  std::string operator()(const SetProperty& r) const {
    return fmt::format("set {} {} {}", r.name, r.key, fmt::join(r.values, " "));
  }
  std::string operator()(const GetProperty& r) const {
    return fmt::format("get {} {}", r.name, r.key);
  }
  std::string operator()(const CheckProperty& r) const {
    return fmt::format("check {} {} {}", r.name, r.key, r.value);
  }
  std::string operator()(const AnnounceName& r) const { return "announce " + r.name; }
  std::string operator()(const ProtocolError&) const { return {}; }
};

// The words of a registration have fixed positions: 2, 4, 6 and 8.
std::optional<Contact> parse_registration(const Words& words) {
  const std::string_view number = word(words, 6);  // a topic has no number
  const std::optional<int> port = number == "none" ? 0 : parse_port(number);
  if (words.size() < 9 || words[0] != "registration" || !port) {
    return std::nullopt;
  }
  return Contact{std::string(words[2]), std::string(words[4]), std::max(*port, 0),
                 std::string(words[8])};
}

NameProperty parse_property(const Words& words) {
  NameProperty property{std::string(words[1]), std::string(words[3]), {}, {}};
  if (words[4] == "value") {
    property.values.emplace_back(word(words, 5));
    property.present = word(words, 7) == "true";
  } else {
    property.values = strings_from(words, 5);
  }
  return property;
}

}  // namespace

NameRequest parse_name_request(std::string_view line) {
  if (line.size() > kMaxNameRequest) {
    return ProtocolError{fmt::format("a request of more than {} bytes", kMaxNameRequest)};
  }
  const Words words = split(line);
  if (word(words, 0) != "NAME_SERVER") {
    return ProtocolError{"this is a name server: ask it \"NAME_SERVER list\", for example"};
  }
  for (const Form& form : kForms) {
    if (word(words, 1) == form.verb) {
      return words.size() >= form.least_words
                 ? form.parse(words)
                 : ProtocolError{fmt::format("use: NAME_SERVER {}", form.usage)};
    }
  }
  return ProtocolError{
      fmt::format("no request \"{}\"; there are query, register, unregister, list, set, get, "
                  "check and announce",
                  word(words, 1))};
}

std::string encode_name_request(const NameRequest& request) {
  const std::string text = std::visit(RequestText{}, request);
  return text.empty() ? text : "NAME_SERVER " + text + "\n";
}

std::string registration_line(const Contact& contact) {
  return fmt::format("registration name {} ip {} port {} type {}\r\n", contact.name, contact.ip,
                     contact.port, contact.carrier);
}

bool NameReplyReader::feed(Bytes bytes) {
  size_ += bytes.size();
  if (size_ > kMaxNameReply && error_.empty()) {
    error_ = fmt::format("an answer of more than {} bytes", kMaxNameReply);
  }
  if (ended_ || !error_.empty()) {
    return true;
  }
  queue_.append(bytes);
  while (!ended_) {
    const std::optional<std::string_view> line = queue_.take_line();
    if (!line) {
      break;
    }
    take_line(*line);
  }
  return ended_;
}

void NameReplyReader::finish() {
  if (!ended_ && error_.empty() && queue_.size() > 0) {
    take_line(as_text(queue_.take(queue_.size())));
  }
}

void NameReplyReader::take_line(std::string_view line) {
  if (line.starts_with('*') || line.starts_with('[')) {
    ended_ = true;
    return;
  }
  const Words words = split(line);
  if (auto contact = parse_registration(words)) {
    reply_.contacts.push_back(std::move(*contact));
  } else if (words.size() >= 5 && words[0] == "port" && words[2] == "property") {
    reply_.properties.push_back(parse_property(words));
  } else if (!words.empty()) {
    reply_.others.emplace_back(line);
  }
}

}  // namespace servosim::yarp
