// SPDX-License-Identifier: Apache-2.0
#include "robots/xml_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace servosim::robots {
namespace {

constexpr std::string_view kBlanksOfXml = " \t\r\n";

// Returns a number whose magnitude no double has.
double extreme(std::string_view word) {
  const bool is_small = word.find("e-") != word.npos || word.find("E-") != word.npos;
  return is_small ? 0.0 : word.starts_with('-') ? -kNoLimit : kNoLimit;
}

}  // namespace

std::optional<std::size_t> parse_numbers(std::string_view text, std::span<double> numbers) {
  std::size_t count = 0;
  for (text = trimmed(text, kBlanksOfXml); !text.empty(); text = trimmed(text, kBlanksOfXml)) {
    std::string_view word = text.substr(0, text.find_first_of(kBlanksOfXml));
    text.remove_prefix(word.size());
    word.remove_prefix(word.starts_with('+') ? 1 : 0);
    double number = 0.0;
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, number);
    if (at != end || (error != std::errc() && error != std::errc::result_out_of_range)) {
      return std::nullopt;
    }
    if (count < numbers.size()) {
      numbers[count] = error == std::errc() ? number : extreme(word);
    }
    ++count;
  }
  return count;
}

SourceLocation XmlFields::place(pugi::xml_node node) const {
  const auto other = others_.empty() ? others_.end()
                                     : std::ranges::find(others_, node.root(),
                                                         &decltype(others_)::value_type::first);
  return {other == others_.end() ? file_ : other->second,
          static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0))};
}

void XmlFields::fail(pugi::xml_node node, std::string message) {
  diagnostics_.error(place(node), std::move(message));
}

void XmlFields::lose(pugi::xml_node node, std::string what, bool moves) {
  losses_.push_back({place(node), std::move(what), moves});
}

bool XmlFields::numbers(pugi::xml_node node, const char* attribute, std::span<double> values,
                        bool required) {
  const pugi::xml_attribute given = node.attribute(attribute);
  if (!given) {
    if (required) {
      fail(node, fmt::format("<{}> has no {}", node.name(), attribute));
    }
    return false;
  }
  std::array<double, 6> read{};
  const auto count = parse_numbers(given.value(), read);
  const auto found = std::span(read).first(values.size());
  if (count != values.size() ||
      !std::ranges::all_of(found, [](double x) { return std::isfinite(x); })) {
    fail(node, fmt::format("{} '{}' of <{}> should be {}", attribute, given.value(), node.name(),
                           values.size() == 1 ? "a finite number"
                                              : fmt::format("{} finite numbers", values.size())));
    return false;
  }
  std::ranges::copy(found, values.begin());
  return true;
}

double XmlFields::number(pugi::xml_node node, const char* attribute, double otherwise,
                         bool required) {
  std::array<double, 1> value{};
  return numbers(node, attribute, value, required) ? value[0] : otherwise;
}

double XmlFields::number_or_infinity(pugi::xml_node node, const char* attribute, double otherwise) {
  std::array<double, 1> value{};
  const pugi::xml_attribute given = node.attribute(attribute);
  return given && parse_numbers(given.value(), value) == 1 && std::isinf(value[0])
             ? value[0]
             : number(node, attribute, otherwise);
}

Vec3 XmlFields::vector(pugi::xml_node node, const char* attribute, const Vec3& otherwise,
                       bool required) {
  std::array<double, 3> v{};
  return numbers(node, attribute, v, required) ? Vec3{v[0], v[1], v[2]} : otherwise;
}

bool XmlFields::numbers_in(pugi::xml_node element, std::span<double> values) {
  std::array<double, 6> read{};
  const auto found = std::span(read).first(values.size());
  if (parse_numbers(element.text().get(), read) != values.size() ||
      !std::ranges::all_of(found, [](double x) { return std::isfinite(x); })) {
    fail(element,
         fmt::format("<{}> should contain {} finite numbers", element.name(), values.size()));
    return false;
  }
  std::ranges::copy(found, values.begin());
  return true;
}

double XmlFields::number_in(pugi::xml_node element) {
  const pugi::xml_attribute attribute = element.attribute("value");
  std::array<double, 1> value{};
  if (parse_numbers(attribute ? attribute.value() : element.text().get(), value) != 1 ||
      !std::isfinite(value[0])) {
    fail(element, fmt::format("<{}> should contain a finite number", element.name()));
    return 0.0;
  }
  return value[0];
}

std::string XmlFields::name_of(pugi::xml_node element) {
  std::string name = element.attribute("name").value();
  if (name.empty()) {
    fail(element, fmt::format("<{}> has no name", element.name()));
  }
  return name;
}

}  // namespace servosim::robots
