// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "wbt/schema/node_types.h"

namespace servosim::wbt {
namespace {

constexpr std::string_view kVelocities = "linearVelocity angularVelocity";

// What stands before and after all other fields of a node and of what is based on it; between them
// come the fields of bases, then its own. Webots lists the fields of each node by themselves,
// inherited ones included, and does not always keep those of a base together.
struct StatedOrder {
  std::string_view node;
  std::string_view first;
  std::string_view last;
};

constexpr std::array kOrders{
    StatedOrder{"Pose", "translation rotation scale children translationStep rotationStep", ""},
    StatedOrder{"Transform", "translation rotation translationStep rotationStep children scale",
                ""},
    StatedOrder{"Solid",
                "translation rotation scale children name model description contactMaterial "
                "immersionProperties boundingObject physics locked translationStep rotationStep "
                "radarCrossSection recognitionColors",
                kVelocities},
    StatedOrder{"Fluid",
                "translation rotation scale children name model description density viscosity "
                "streamVelocity boundingObject translationStep rotationStep locked",
                ""},
    StatedOrder{"TrackWheel", "position rotation radius inner children", ""},
    StatedOrder{"Robot", "", "linearVelocity angularVelocity data"},
    StatedOrder{"DifferentialWheels",  // a default of its own for cpuConsumption
                "translation rotation scale children name model description contactMaterial "
                "immersionProperties boundingObject physics locked translationStep rotationStep "
                "radarCrossSection recognitionColors controller controllerArgs customData "
                "supervisor synchronization battery cpuConsumption",
                ""},
    StatedOrder{"Motor",
                "name acceleration consumptionFactor controlPID controlP maxVelocity minPosition "
                "maxPosition maxTorque maxForce multiplier sound muscles muscle",
                ""},
    StatedOrder{"Light",
                "ambientIntensity attenuation beamWidth color cutOffAngle direction intensity "
                "location on radius castShadows castLensFlares",
                ""},
    StatedOrder{"Camera", "", "linearVelocity angularVelocity spherical"},
    StatedOrder{"Lidar", "", "linearVelocity angularVelocity spherical"},
    StatedOrder{"RangeFinder", "", "linearVelocity angularVelocity spherical"},
    StatedOrder{"InertialUnit", "", "linearVelocity angularVelocity lookupTable"},
    StatedOrder{
        "JointParameters",
        "position axis anchor minStop maxStop springConstant dampingConstant staticFriction", ""},
    StatedOrder{"Joint",
                "jointParameters jointParameters2 jointParameters3 device device2 device3 endPoint",
                "position position2 position3"},
};

// Where a word stands in a text of words; their number if it is none.
std::size_t place_in(std::string_view words, std::string_view word) {
  std::size_t place = 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) {
      return place;
    }
    ++place;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return place;
}

bool has_word(std::string_view words, std::string_view word) {
  return place_in(words, word) < place_in(words, {});
}

// `levels`: by field, how many bases up it comes from.
std::vector<std::uint16_t> ordered(const NodeType& type, const std::vector<std::size_t>& levels,
                                   std::string_view first, std::string_view last) {
  // At the front, between, at the end; where in a stated list; whose; in the order of its rows.
  using Rank = std::tuple<int, std::size_t, std::size_t, std::size_t>;
  const auto rank = [&](std::uint16_t i) {
    const std::string_view name = type.fields[i]->name;
    if (has_word(first, name)) {
      return Rank{0, place_in(first, name), 0, i};
    }
    if (has_word(last, name)) {
      return Rank{2, place_in(last, name), 0, i};
    }
    return Rank{1, 0, levels.size() - levels[i], i};
  };
  std::vector<std::uint16_t> order(type.fields.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::uint16_t a, std::uint16_t b) { return rank(a) < rank(b); });
  return order;
}

std::vector<std::uint16_t> make_order(const NodeType& type) {
  std::string_view first;
  std::string_view last;
  std::vector<std::size_t> levels;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const std::string_view origin = type.origins[i];
    const bool same = i > 0 && type.origins[i - 1] == origin;
    levels.push_back(i == 0 ? 0 : levels.back() + (same ? 0 : 1));
    const auto stated = std::find_if(kOrders.begin(), kOrders.end(), [&](const StatedOrder& order) {
      return order.node == origin;
    });
    if (!same && stated != kOrders.end()) {
      first = first.empty() ? stated->first : first;
      last = last.empty() ? stated->last : last;
    }
  }
  return ordered(type, levels, first, last);
}

std::map<const NodeType*, std::vector<std::uint16_t>> make_orders() {
  std::map<const NodeType*, std::vector<std::uint16_t>> orders;
  for (const NodeType& type : all_node_types()) {
    orders.emplace(&type, make_order(type));
  }
  return orders;
}

}  // namespace

const std::vector<std::uint16_t>& field_order(const NodeType& type) {
  static const auto orders = make_orders();
  return orders.at(&type);
}

}  // namespace servosim::wbt
