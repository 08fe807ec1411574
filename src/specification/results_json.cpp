// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "specification/place.h"
#include "specification/reports.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

void add_place(Json& json, const Place& at) {
  const bool known = at.line > 0;
  json["file"] = known ? Json(at.file) : Json();
  json["line"] = known ? Json(at.line) : Json();
  json["column"] = at.column > 0 ? Json(at.column) : Json();
}

Json verdict_json(const Verdict& verdict) {
  Json json{{"title", verdict.title}, {"held", verdict.held}};
  add_place(json, place_in(verdict.place));
  json["expected"] = verdict.expected;
  json["came"] = verdict.came;
  const auto& measured = verdict.measured;
  json["value"] = measured ? Json(measured->value) : Json();
  json["low"] = measured ? Json(measured->low) : Json();
  json["high"] = measured ? Json(measured->high) : Json();
  json["unit"] = measured ? Json(measured->unit) : Json();
  json["seconds"] = verdict.seconds;
  json["figure"] = or_null(verdict.figure);
  return json;
}

}  // namespace

Json specifications_json(const std::vector<TriedSpecification>& tried) {
  Json list = Json::array();
  for (const TriedSpecification& each : tried) {
    Json verdicts = Json::array();
    for (const Verdict& verdict : each.verdicts) {
      verdicts.push_back(verdict_json(verdict));
    }
    Json json{{"specification", each.path},
              {"world", or_null(each.world)},
              {"held", each.held()},
              {"error", or_null(each.error)}};
    if (!each.error.empty()) {
      add_place(json, place_of_error(each));
    }
    json["seconds"] = each.seconds;
    json["output"] = printable_lines(each.output);
    json["trace"] = or_null(each.trace);
    json["replay"] = or_null(each.replay);
    json["expectations"] = std::move(verdicts);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace servosim
