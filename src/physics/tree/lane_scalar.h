// SPDX-License-Identifier: Apache-2.0
// Numbers of SERVOSIM_LANES trees side by side, with the functions of spatial.h. Only lane_kernel.h
// and fit/bench_kernel.h include this file, before the templates, which find functions of such
// types only then.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // a false alarm in GCC 12's header
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

// GCC warns of the ABI of vectors as arguments; it does not matter, as all such functions are
// inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

// A condition is a mask, so both sides of a choice are computed in all lanes. Every operation is
// that of a single number in each lane, without contraction to fused multiply-add, so that a lane
// has the bits of a single number.

namespace servosim {

namespace {

constexpr std::size_t kLanes = SERVOSIM_LANES;

// A number of each tree, and the result of a comparison: all bits of a lane are 1 where it is true.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using LaneMask = decltype(Lanes{} < Lanes{});
// Masks the sign of a double.
constexpr long long kAllButTheSign = 0x7fff'ffff'ffff'ffff;

// Both values were computed; there is no branch.
[[gnu::always_inline]] inline Lanes choose(const LaneMask& condition, const Lanes& a,
                                           const Lanes& b) {
  return condition ? a : b;
}

// Reads the sign bits of the lanes as an integer, which is 0 if no lane holds.
[[gnu::always_inline]] inline bool any_holds(const LaneMask& condition) {
#if SERVOSIM_LANES == 8
  return _mm512_movepi64_mask((__m512i)condition) != 0;
#elif SERVOSIM_LANES == 4
  return _mm256_movemask_pd((__m256d)condition) != 0;
#elif defined(__x86_64__)
  return _mm_movemask_pd((__m128d)condition) != 0;
#else
  return (condition[0] | condition[1]) != 0;
#endif
}
[[gnu::always_inline]] inline bool all_hold(const LaneMask& condition) {
  return !any_holds(~condition);
}
[[gnu::always_inline]] inline LaneMask opposite(const LaneMask& condition) { return ~condition; }

[[gnu::always_inline]] inline Lanes absolute(const Lanes& x) {
  return (Lanes)((LaneMask)x & kAllButTheSign);
}
// These have the bits of the functions for single numbers.
[[gnu::always_inline]] inline Lanes lesser(const Lanes& a, const Lanes& b) {
  return choose(b < a, b, a);
}

// Each lane has its own index, so the pairs are read one by one.
[[gnu::always_inline]] inline void read_entries(const double (*table)[2], const Lanes& indices,
                                                Lanes& first, Lanes& second) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    const double* const entry = table[static_cast<std::size_t>(indices[l])];
    first[l] = entry[0];
    second[l] = entry[1];
  }
}

// The square root is correctly rounded, as that of a single number.
[[gnu::always_inline]] inline Lanes square_root(const Lanes& x) {
#if SERVOSIM_LANES == 8
  return _mm512_sqrt_pd(x);
#elif SERVOSIM_LANES == 4
  return _mm256_sqrt_pd(x);
#elif defined(__x86_64__)
  return _mm_sqrt_pd(x);
#else
  return {__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#endif
}

// Four numbers of each lane.
struct LaneFour {
  Lanes n[4];
};

// Converts between four numbers that are adjacent for each lane and four registers with one number
// of all lanes, in either direction. With 4 lanes each is the transpose of the other; 8 lanes are
// two times 4; with 2 lanes a register has half of the numbers of a lane.
[[gnu::always_inline]] inline LaneFour transposed(const LaneFour& a) {
#if SERVOSIM_LANES == 8
  const Lanes even = __builtin_shufflevector(a.n[0], a.n[1], 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes odd = __builtin_shufflevector(a.n[0], a.n[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const Lanes more_even = __builtin_shufflevector(a.n[2], a.n[3], 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes more_odd = __builtin_shufflevector(a.n[2], a.n[3], 1, 9, 3, 11, 5, 13, 7, 15);
  return {{__builtin_shufflevector(even, more_even, 0, 1, 8, 9, 4, 5, 12, 13),
           __builtin_shufflevector(odd, more_odd, 0, 1, 8, 9, 4, 5, 12, 13),
           __builtin_shufflevector(even, more_even, 2, 3, 10, 11, 6, 7, 14, 15),
           __builtin_shufflevector(odd, more_odd, 2, 3, 10, 11, 6, 7, 14, 15)}};
#elif SERVOSIM_LANES == 4
  const Lanes even = __builtin_shufflevector(a.n[0], a.n[1], 0, 4, 2, 6);
  const Lanes odd = __builtin_shufflevector(a.n[0], a.n[1], 1, 5, 3, 7);
  const Lanes more_even = __builtin_shufflevector(a.n[2], a.n[3], 0, 4, 2, 6);
  const Lanes more_odd = __builtin_shufflevector(a.n[2], a.n[3], 1, 5, 3, 7);
  return {{__builtin_shufflevector(even, more_even, 0, 1, 4, 5),
           __builtin_shufflevector(odd, more_odd, 0, 1, 4, 5),
           __builtin_shufflevector(even, more_even, 2, 3, 6, 7),
           __builtin_shufflevector(odd, more_odd, 2, 3, 6, 7)}};
#else  // two lanes, each with two pairs
  return {{__builtin_shufflevector(a.n[0], a.n[1], 0, 2),
           __builtin_shufflevector(a.n[0], a.n[1], 1, 3),
           __builtin_shufflevector(a.n[2], a.n[3], 0, 2),
           __builtin_shufflevector(a.n[2], a.n[3], 1, 3)}};
#endif
}

// As many adjacent numbers of one lane as are read at once.
using LanePart = double __attribute__((vector_size((kLanes == 2 ? 2 : 4) * sizeof(double))));

// Reads at any address; the compiler makes one instruction of it.
[[gnu::always_inline]] inline LanePart part_at(const double* from) {
  LanePart part;
  __builtin_memcpy(&part, from, sizeof part);
  return part;
}

// Reads four adjacent numbers of each lane. `from` returns the address for a lane.
template <class From>
[[gnu::always_inline]] inline LaneFour load_four(From from) {
#if SERVOSIM_LANES == 8
  const auto both = [](const LanePart& a, const LanePart& b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  };
  return transposed(
      {{both(part_at(from(0)), part_at(from(4))), both(part_at(from(1)), part_at(from(5))),
        both(part_at(from(2)), part_at(from(6))), both(part_at(from(3)), part_at(from(7)))}});
#elif SERVOSIM_LANES == 4
  return transposed({{part_at(from(0)), part_at(from(1)), part_at(from(2)), part_at(from(3))}});
#else
  return transposed(
      {{part_at(from(0)), part_at(from(1)), part_at(from(0) + 2), part_at(from(1) + 2)}});
#endif
}

// Writes four adjacent numbers of each lane for which `chosen` is true. `to` returns the address
// for a lane.
template <class To>
[[gnu::always_inline]] inline void store_four(const LaneFour& four, const bool* chosen, To to) {
  const LaneFour by_lane = transposed(four);
  const auto store = [&](std::size_t l, const LanePart& part, std::size_t at) {
    if (chosen[l]) {
      __builtin_memcpy(to(l) + at, &part, sizeof part);
    }
  };
#if SERVOSIM_LANES == 8
  for (std::size_t l = 0; l < 4; ++l) {
    const Lanes& both = by_lane.n[l];
    store(l, __builtin_shufflevector(both, both, 0, 1, 2, 3), 0);
    store(l + 4, __builtin_shufflevector(both, both, 4, 5, 6, 7), 0);
  }
#elif SERVOSIM_LANES == 4
  for (std::size_t l = 0; l < 4; ++l) {
    store(l, by_lane.n[l], 0);
  }
#else
  for (std::size_t l = 0; l < 2; ++l) {
    store(l, by_lane.n[l], 0);
    store(l, by_lane.n[l + 2], 2);
  }
#endif
}

}  // namespace

}  // namespace servosim
