// SPDX-License-Identifier: Apache-2.0
#include "cli/srvp_actions.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "cli/output.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number <= 0xffff ? std::optional(number) : std::nullopt;
}

// "3=90" with '=' between.
std::optional<std::pair<int, int>> numbers_of(const std::string& word, char between) {
  const std::size_t at = word.find(between);
  const auto first = number_of(std::string_view(word).substr(0, at));
  const auto second =
      at == word.npos ? std::nullopt : number_of(std::string_view(word).substr(at + 1));
  return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

/// Takes the words of a command line one by one. What is wrong throws std::invalid_argument.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}

  std::vector<SrvpAction> actions() {
    std::vector<SrvpAction> actions;
    while (at_ < words_.size()) {
      const std::size_t begin = at_;
      srvp::Query query = take_query(words_[at_++]);
      std::string text = words_[begin];
      for (std::size_t i = begin + 1; i < at_; ++i) {
        text += ' ' + words_[i];
      }
      encode(query);  // throws what is wrong with it
      SrvpAction& action = actions.emplace_back();
      action.text = std::move(text);
      action.query = std::move(query);
    }
    return actions;
  }

 private:
  srvp::Query take_query(const std::string& name) {
    if (name == "select") {
      return srvp::SelectMcu{take(name, "the name of an MCU")};
    }
    if (name == "move" || name == "pwm") {
      return take_movement(name);
    }
    if (name == "info") {
      return srvp::AskInfo();
    }
    if (name == "mode") {
      return take_mode(name);
    }
    if (name == "execute") {
      return srvp::ExecuteAll();
    }
    if (name == "upload") {
      return take_upload(name);
    }
    if (name == "off") {
      return srvp::ShutDown();
    }
    throw std::invalid_argument(fmt::format(
        "there is no action '{}'{}", printable(name),
        did_you_mean(name, {"select", "move", "pwm", "info", "mode", "execute", "upload", "off"})));
  }

  std::string take(const std::string& action, const char* what) {
    if (at_ == words_.size()) {
      throw std::invalid_argument(fmt::format("{} wants {}", action, what));
    }
    return words_[at_++];
  }

  // All the pairs that come; at least one must.
  std::vector<std::pair<int, int>> take_pairs(const std::string& action, char between,
                                              const char* what) {
    std::vector<std::pair<int, int>> pairs;
    while (at_ < words_.size() && words_[at_].find(between) != std::string::npos) {
      const auto pair = numbers_of(words_[at_], between);
      if (!pair) {
        throw std::invalid_argument(
            fmt::format("'{}' of {} is not {}", printable(words_[at_]), action, what));
      }
      pairs.push_back(*pair);
      ++at_;
    }
    if (pairs.empty()) {
      throw std::invalid_argument(fmt::format("{} wants {}", action, what));
    }
    return pairs;
  }

  srvp::Movement take_movement(const std::string& name) {
    const bool pwm = name == "pwm";
    srvp::Movement movement{pwm ? srvp::MoveForm::Pwm : srvp::MoveForm::Position, {}};
    for (const auto& [servo, value] :
         take_pairs(name, '=', pwm ? "ID=PWM, as 3=1500" : "ID=DEGREES, as 3=90")) {
      if (servo > 254) {
        throw std::invalid_argument(fmt::format("there is no servo {}: ids are 0..31", servo));
      }
      movement.moves.push_back({static_cast<std::uint8_t>(servo), value});
    }
    return movement;
  }

  srvp::SetMode take_mode(const std::string& name) {
    const std::string mode = take(name, "delayed or realtime");
    if (mode != "delayed" && mode != "realtime") {
      throw std::invalid_argument(fmt::format("mode '{}' is not delayed or realtime{}",
                                              printable(mode),
                                              did_you_mean(mode, {"delayed", "realtime"})));
    }
    return {mode == "delayed" ? srvp::SetMode::kDelayed : srvp::SetMode::kRealTime};
  }

  srvp::Upload take_upload(const std::string& name) {
    srvp::Upload upload;
    for (const auto& [min, max] : take_pairs(name, ':', "MIN:MAX of each servo, as 500:2500")) {
      upload.ranges.push_back({min, max});
    }
    return upload;
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

std::string text_of(const srvp::Answer& answer) {
  if (const auto* control = std::get_if<srvp::Control>(&answer)) {
    return describe(*control);
  }
  std::string text = "positions";
  for (const std::uint8_t position : std::get<srvp::McuInfo>(answer).positions) {
    text += position > srvp::kMaxPosition ? " ?" : ' ' + std::to_string(position);
  }
  return text;
}

Json json_of(const srvp::Answer& answer) {
  if (const auto* control = std::get_if<srvp::Control>(&answer)) {
    Json json{{"ack", control->ack}, {"code", control->code}};
    if (const auto name = srvp::nack_name(control->code); !control->ack && !name.empty()) {
      json["name"] = std::string(name);
    }
    return json;
  }
  Json positions = Json::array();
  for (const std::uint8_t position : std::get<srvp::McuInfo>(answer).positions) {
    positions.push_back(position > srvp::kMaxPosition ? Json() : Json(position));
  }
  return {{"positions", positions}};
}

}  // namespace

std::variant<std::vector<SrvpAction>, std::string> parse_srvp_actions(
    const std::vector<std::string>& words) {
  try {
    return Words(words).actions();
  } catch (const std::invalid_argument& error) {
    return std::string(error.what());
  }
}

std::string srvp_line(const SrvpAction& action, const srvp::Reply& reply) {
  std::string line = printable(action.text) + ':';
  for (const srvp::Answer& answer : reply.answers) {
    line += (&answer == &reply.answers.front() ? " " : ", ") + text_of(answer);
  }
  return line + '\n';
}

Json srvp_json(const SrvpAction& action, const srvp::Reply& reply) {
  Json answers = Json::array();
  for (const srvp::Answer& answer : reply.answers) {
    answers.push_back(json_of(answer));
  }
  return {{"action", action.text},
          {"query", to_text(action.query)},
          {"ok", reply.ok()},
          {"answers", answers}};
}

}  // namespace servosim
