// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim {

enum class TraceKind { Joint, Muscle, Propeller };

/// One number that a trace holds for each step.
struct TraceColumn {
  std::string quantity;  ///< in words, such as "commanded velocity"
  std::string unit;      ///< such as "rad/s"; empty for a mere number
};

/// What a trace follows, with its columns, which stand side by side.
struct TraceItem {
  TraceKind kind = TraceKind::Joint;
  std::string name;  ///< `robot/joint`, `robot/joint muscle` or `robot/motor`
  std::vector<TraceColumn> columns;
  std::string joint_kind = {};  ///< "hinge", "slider", "hinge2" or "ball"; only for writing
};

/// A text that a supervisor put on a picture, for which the trace has to do.
struct TraceLabel {
  int id = 0;
  double time = 0.0;  ///< [s]
  std::string text;
  double x = 0.0;  ///< from the left, of the width
  double y = 0.0;  ///< from the top, of the height
  double size = 0.0;
  int color = 0;  ///< 0xRRGGBB
  double transparency = 0.0;
  std::string font;
};

}  // namespace servosim
