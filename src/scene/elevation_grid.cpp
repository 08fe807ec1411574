// SPDX-License-Identifier: Apache-2.0
#include "scene/elevation_grid.h"

#include <algorithm>

#include "scene/checks.h"

namespace servosim {

namespace {

constexpr double kLargestLength = 1e6;         // of lengths and heights [m]
constexpr std::int64_t kMostPoints = 1 << 24;  // with heights in the file
constexpr std::int64_t kMostFlat = 1 << 20;    // of those that the file leaves out

bool is_length(double x) { return std::isfinite(x) && x > 0.0 && x < kLargestLength; }

// What is wrong with a grid of this size, or an empty text.
std::string fault_of_grid(const Grid& grid, std::int64_t given) {
  if (grid.columns < 2 || grid.rows < 2) {
    return fmt::format("its {} x {} points are less than 2 in a direction", grid.columns,
                       grid.rows);
  }
  const double width = grid.dx * (grid.columns - 1);
  const double depth = grid.dy * (grid.rows - 1);
  if (!is_length(grid.dx) || !is_length(grid.dy) || !is_length(width) || !is_length(depth)) {
    return fmt::format("its spacing {} x {} or its extent {} x {} is not between 0 and 1e6 m",
                       grid.dx, grid.dy, width, depth);
  }
  const std::int64_t points = std::int64_t{grid.columns} * grid.rows;
  if (points > kMostPoints || points - given > kMostFlat) {
    return fmt::format("{} points are too many for {} heights", points, given);
  }
  return {};
}

// Rows in reverse: those of old files run against the y axis of a Grid.
void reverse_rows(Grid& grid) {
  for (int low = 0, high = grid.rows - 1; low < high; ++low, --high) {
    const auto row = grid.heights.begin() + std::ptrdiff_t{low} * grid.columns;
    std::swap_ranges(row, row + grid.columns,
                     grid.heights.begin() + std::ptrdiff_t{high} * grid.columns);
  }
}

// The heights of the file, flat where it leaves them out; false if one is out of range.
bool read_heights(const Checked& checked, double scale, Grid& grid) {
  const std::vector<double>& given = checked.node().numbers("height");
  const auto points = static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows);
  if (given.size() != points) {
    checked.warn("height", fmt::format("height has {} values for {} x {} points; {}", given.size(),
                                       grid.columns, grid.rows,
                                       given.size() > points ? "the last ones are not used"
                                                             : "0 is used for those left out"));
  }
  grid.heights.assign(points, 0.0);
  const std::size_t used = std::min(points, given.size());
  for (std::size_t i = 0; i < used; ++i) {
    grid.heights[i] = scale * given[i];
    if (!(std::abs(grid.heights[i]) < kLargestLength)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool read_elevation_grid(const wbt::Node& node, const Vec3& scale, Diagnostics& diagnostics,
                         Shape& shape) {
  const Checked checked(node, diagnostics);
  const bool z_up = wbt::geometry_axis_is_z(node.version);
  auto grid = std::make_shared<Grid>();
  grid->columns = node.integer("xDimension");
  grid->rows = node.integer(z_up ? "yDimension" : "zDimension");
  grid->dx = node.number("xSpacing") * scale.x;
  grid->dy = node.number(z_up ? "ySpacing" : "zSpacing") * (z_up ? scale.y : scale.z);
  const auto given = static_cast<std::int64_t>(node.numbers("height").size());
  if (const std::string fault = fault_of_grid(*grid, given); !fault.empty()) {
    diagnostics.warning(node.where, fmt::format("ElevationGrid is left out: {}", fault));
    return false;
  }
  if (!read_heights(checked, z_up ? scale.z : scale.y, *grid)) {
    checked.warn("height", "ElevationGrid is left out: a height is not between -1e6 and 1e6 m");
    return false;
  }
  grid->thickness = std::min(checked.magnitude("thickness"), kLargestLength);
  if (!z_up) {
    // x and z became x and −y; the corner of the grid moves from z = 0 to the far end.
    constexpr Mat3 kQuarterTurn{{1, 0, 0, 0, 0, 1, 0, -1, 0}};  // about x, backwards
    shape.pose = shape.pose * Pose{kQuarterTurn, {0.0, 0.0, grid->dy * (grid->rows - 1)}};
    reverse_rows(*grid);
  }
  shape.type = ShapeType::Grid;
  shape.grid = std::move(grid);
  return true;
}

}  // namespace servosim
