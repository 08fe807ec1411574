// SPDX-License-Identifier: Apache-2.0
// servosim compared with plain ODE and other engines: one process steps the same scenes in turns.
//
//     bench_peers            the table; under three minutes
//     bench_peers --quick    every engine on small scenes, a few seconds; fails if results disagree
//     bench_peers ode|servosim|tree arms|rovers ROBOTS JOINTS STEPS   one alone, for callgrind
//     bench_peers chain      least ns per joint over the length of an arm: CSV for chain.gp
#include <fmt/format.h>
#include <ode/ode.h>

#include <barrier>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string_view>
#include <thread>

#include "engine.h"
#include "servosim/simulation.h"

namespace servosim::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The processor time of this thread, which other programs on the machine disturb less.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Candidate {
  std::string name;
  std::function<std::unique_ptr<Engine>(const Scene&)> make;
  double tolerance;   // error of its results after the first second: joints [rad], rovers [m]
  int longest = 100;  // longest arm, in joints, for which the engine must keep its tolerance
};

// The calls are the same and in the same order, except for how a target or an angle is rounded:
// 3e-13 at 48 joints.
constexpr double kSame = 1e-9;
// Each step differs by rounding, which a second of a long arm amplifies.
constexpr double kSameByTree = 1e-6;
// A damper of 10 times the largest torque lags by less than 0.1 rad/s, which is 0.01 rad for a
// servo of gain 10/s. Wheels slip and settle differently, by 4 mm in 0.5 m.
constexpr double kAlike = 0.02;

// Engines without iterations. Plain ODE comes first, then servosim with either solver; the rest of
// this file relies on this order.
std::vector<Candidate> direct_candidates() {
  const auto with = [](Solver solver) {
    return [solver](const Scene& scene) { return make_servosim(scene, solver); };
  };
  std::vector<Candidate> all{{"plain ODE", make_ode, kSame},
                             {"servosim", with(Solver::Ode), kSame},
                             {"servosim tree", with(Solver::Tree), kSameByTree}};
#ifdef BENCH_MUJOCO
  all.push_back({"MuJoCo " + mujoco_version() + " servo", make_mujoco_servo, kAlike});
  all.push_back({"MuJoCo " + mujoco_version() + " damper", make_mujoco_damper, kAlike});
#else
  fmt::print(stderr, "MuJoCo was not found when this was built: its columns are left out.\n");
#endif
#ifdef BENCH_DART
  all.push_back({"DART " + dart_version(), make_dart, kAlike});
#else
  fmt::print(stderr, "DART was not found when this was built: its column is left out.\n");
#endif
  return all;
}

std::vector<Candidate> candidates() {
  std::vector<Candidate> all = direct_candidates();
#ifdef BENCH_BULLET
  // An iterative solver, whose convergence is the slower the longer the arm is.
  all.push_back({"Bullet, 10 it.", [](const Scene& s) { return make_bullet(s, 10); }, kAlike, 2});
  all.push_back({"Bullet, 50 it.", [](const Scene& s) { return make_bullet(s, 50); }, kAlike, 6});
#else
  fmt::print(stderr, "Bullet was not found when this was built: its columns are left out.\n");
#endif
  return all;
}

std::string title(const Scene& scene) {
  const char* plural = scene.robots == 1 ? "" : "s";
  return scene.kind == Kind::Rovers
             ? fmt::format("{} rover{}", scene.robots, plural)
             : fmt::format("{} arm{} of {}", scene.robots, plural, scene.joints);
}

struct Row {
  Scene scene;
  std::vector<double> us;          // medians by candidate [µs per step]
  std::vector<double> least_us;    // the same for the fastest round
  std::vector<double> ratio;       // medians over the rounds of the ratio to plain ODE
  std::vector<double> difference;  // between the results and those of plain ODE [rad|m]
};

// The first step, which is not measured, brings the engine's data back into the caches.
double seconds_for(Engine& engine, int steps) {
  engine.step();
  const auto start = Clock::now();
  for (int i = 0; i < steps; ++i) {
    engine.step();
  }
  return seconds_since(start);
}

double thread_seconds_for(Engine& engine, int steps) {
  engine.step();
  const double start = thread_seconds();
  for (int i = 0; i < steps; ++i) {
    engine.step();
  }
  return thread_seconds() - start;
}

double greatest_difference(const Engine& a, const Engine& b) {
  const std::vector<double> p = a.positions();
  const std::vector<double> q = b.positions();
  if (p.size() != q.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double greatest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double d = std::abs(p[i] - q[i]);
    greatest = d <= greatest ? greatest : d;  // written so that NaN is kept
  }
  return greatest;
}

// All engines start from the same warm state. ODE and servosim, with both solvers, run in every
// round, in alternating order. The others, which need less precision, run in every eighth round.
Row measure(const Scene& scene, const std::vector<Candidate>& all, double seconds) {
  Row row{scene, {}, {}, {}, {}};
  std::vector<std::unique_ptr<Engine>> engines;
  const int warm_up = 124;  // with the one before them, 1 s of simulated time
  double ode_step = 0.0;
  for (const Candidate& candidate : all) {
    engines.push_back(candidate.make(scene));
    const double took = thread_seconds_for(*engines.back(), warm_up) / warm_up;
    ode_step = engines.size() == 1 ? took : ode_step;
    row.difference.push_back(greatest_difference(*engines.back(), *engines.front()));
  }
  const int chunk = std::clamp(static_cast<int>(1e-3 / ode_step), 5, 2000);
  std::vector<std::vector<double>> times(all.size());
  std::vector<std::vector<double>> ratios(all.size());
  const auto start = Clock::now();
  for (int round = 0; round < 2 || seconds_since(start) < seconds; ++round) {
    const std::size_t count = round % 8 == 0 ? all.size() : 3;
    std::vector<double> took(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t e = round % 2 == 0 ? k : count - 1 - k;
      took[e] = thread_seconds_for(*engines[e], chunk) / chunk;
    }
    for (std::size_t e = 0; e < count; ++e) {
      times[e].push_back(1e6 * took[e]);
      ratios[e].push_back(took[e] / took[0]);
    }
  }
  for (std::size_t e = 0; e < all.size(); ++e) {
    row.least_us.push_back(*std::min_element(times[e].begin(), times[e].end()));
    row.us.push_back(median(times[e]));
    row.ratio.push_back(median(ratios[e]));
  }
  return row;
}

void print_heading(const std::vector<Candidate>& all, std::string_view first) {
  std::string line = fmt::format("| {:14} |", first);
  std::string rule = "|:---------------|";
  for (const Candidate& candidate : all) {
    line += fmt::format(" {:>18} |", candidate.name);
    rule += "-------------------:|";
  }
  fmt::print("\n{}\n{}\n", line, rule);
}

bool alike(const Row& row, std::size_t e, const std::vector<Candidate>& all) {
  return row.difference[e] <= all[e].tolerance;
}

void print_times(const Row& row, const std::vector<Candidate>& all) {
  fmt::print("| {:14} |", title(row.scene));
  for (std::size_t e = 0; e < all.size(); ++e) {
    fmt::print(" {:>18} |",
               fmt::format("{:.{}f} ({:.{}f}){}", row.us[e], row.us[e] < 100 ? 2 : 0, row.ratio[e],
                           e == 1 || e == 2 ? 3 : 2, alike(row, e, all) ? "" : "*"));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_differences(const std::vector<Row>& rows, const std::vector<Candidate>& all) {
  fmt::print("\nLargest difference from plain ODE after 1 s, joints in rad, rovers in m:\n");
  print_heading(all, "");
  for (const Row& row : rows) {
    fmt::print("| {:14} |", title(row.scene));
    for (const double difference : row.difference) {
      fmt::print(" {:>18.1e} |", difference);
    }
    fmt::print("\n");
  }
}

// Whether the results agree where they must. Prints those that do not.
bool agree(const std::vector<Row>& rows, const std::vector<Candidate>& all) {
  bool good = true;
  for (const Row& row : rows) {
    for (std::size_t e = 0; e < all.size(); ++e) {
      if (row.scene.joints <= all[e].longest && !alike(row, e, all)) {
        fmt::print("{}: {} is {:.2g} away from plain ODE, more than {}\n", title(row.scene),
                   all[e].name, row.difference[e], all[e].tolerance);
        good = false;
      }
    }
  }
  return good;
}

// Prints the cost per robot relative to the first row with the same kind of robot.
void print_linearity(const std::vector<Row>& rows) {
  fmt::print(
      "\nCost of one robot among many, relative to one alone (time; plain ODE, servosim):\n");
  for (const Row& row : rows) {
    const auto alone = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return r.scene.kind == row.scene.kind && r.scene.joints == row.scene.joints &&
             r.scene.robots == 1;
    });
    if (row.scene.robots > 1 && alone != rows.end()) {
      fmt::print("{:14}  {:.2f}  {:.2f}\n", title(row.scene),
                 row.us[0] / alone->us[0] / row.scene.robots,
                 row.us[1] / alone->us[1] / row.scene.robots);
    }
  }
}

// Prints the steps per second of two simulations in two threads, over those of one alone.
void print_threads(int rounds, int steps) {
  const Scene scene{Kind::Arms, 10, 6};
  const auto first = make_servosim(scene);
  const auto second = make_servosim(scene);
  std::vector<double> gains;
  for (int round = 0; round < rounds; ++round) {
    const double alone = seconds_for(*first, steps);
    std::barrier start(2);
    std::thread other([&] {
      start.arrive_and_wait();
      seconds_for(*second, steps);
    });
    start.arrive_and_wait();
    const auto began = Clock::now();
    seconds_for(*first, steps);
    other.join();
    gains.push_back(2.0 * alone / seconds_since(began));
  }
  fmt::print("\nTwo simulations of {} in two threads: {:.2f} times the throughput of one\n",
             title(scene), median(gains));
}

// Measures what a planner does before each trial.
void print_save_and_restore(int rounds) {
  Simulation arm = Simulation::from_text(world_text({Kind::Arms, 1, 48}));
  SimulationState state = arm.save();
  constexpr int kTimes = 20;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    arm.step();
    const auto began = Clock::now();
    for (int i = 0; i < kTimes; ++i) {
      state = arm.save(std::move(state));
      arm.restore(state);
    }
    times.push_back(seconds_since(began) / kTimes);
  }
  fmt::print("\nSaving and restoring the state of an arm of 48 joints: {:.2f} us\n",
             1e6 * median(times));
}

int compare(bool quick) {
  const std::vector<Candidate> all = candidates();
  const std::vector<Scene> full{{Kind::Arms, 1, 1},   {Kind::Arms, 1, 2},   {Kind::Arms, 1, 6},
                                {Kind::Arms, 1, 12},  {Kind::Arms, 1, 24},  {Kind::Arms, 1, 48},
                                {Kind::Arms, 10, 2},  {Kind::Arms, 100, 2}, {Kind::Arms, 1000, 2},
                                {Kind::Rovers, 1, 4}, {Kind::Rovers, 50, 4}};
  const std::vector<Scene> small{
      {Kind::Arms, 1, 1}, {Kind::Arms, 1, 6}, {Kind::Arms, 10, 2}, {Kind::Rovers, 2, 4}};
  fmt::print(
      "Microseconds of the processor per step and, in brackets, the ratio to plain ODE (*: not the "
      "same "
      "motion, see below):\n");
  print_heading(all, "");
  std::vector<Row> rows;
  for (const Scene& scene : quick ? small : full) {
    rows.push_back(measure(scene, all, quick ? 0.0 : 7.0));
    print_times(rows.back(), all);
  }
  print_differences(rows, all);
  print_linearity(rows);
  print_save_and_restore(quick ? 3 : 301);
  print_threads(quick ? 3 : 41, quick ? 50 : 1000);
  return agree(rows, all) ? 0 : 1;
}

int print_chain() {
  const std::vector<Candidate> all = direct_candidates();
  fmt::print("joints");
  for (const Candidate& candidate : all) {
    fmt::print(",{}", candidate.name);
  }
  fmt::print("\n");
  for (const int joints : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48}) {
    const Row row = measure({Kind::Arms, 1, joints}, all, 4.0);
    fmt::print("{}", joints);
    for (const double us : row.least_us) {
      fmt::print(",{:.1f}", 1000.0 * us / joints);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  return 0;
}

int run_alone(std::string_view engine, std::string_view kind, int robots, int joints, int steps) {
  const Scene scene{kind == "arms" ? Kind::Arms : Kind::Rovers, robots, joints};
  const auto it = engine == "ode"    ? make_ode(scene)
                  : engine == "tree" ? make_servosim(scene, Solver::Tree)
                                     : make_servosim(scene, Solver::Ode);
  seconds_for(*it, steps);
  fmt::print("{:.6f}\n", it->positions().back());
  return 0;
}

}  // namespace
}  // namespace servosim::bench

int main(int argc, char** argv) {
  using namespace servosim::bench;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  dInitODE2(0);
  if (arguments.empty() || arguments[0] == "--quick") {
    return compare(!arguments.empty());
  }
  if (arguments[0] == "chain") {
    return print_chain();
  }
  if (arguments.size() == 5) {
    return run_alone(arguments[0], arguments[1], std::atoi(argv[3]), std::atoi(argv[4]),
                     std::atoi(argv[5]));
  }
  fmt::print(stderr,
             "usage: bench_peers [--quick | chain | ode|servosim|tree arms|rovers ROBOTS "
             "JOINTS STEPS]\n");
  return 2;
}
