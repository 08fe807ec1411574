// SPDX-License-Identifier: Apache-2.0
export function seed(number) {
  __seedRandom(Math.floor(number));
}

/// Returns a number in [first, last); in [0, first) for one argument, in [0, 1) for none.
export function real(first, last) {
  if (first === undefined)
    return Math.random();
  const [least, most] = last === undefined ? [0, first] : [first, last];
  return least + (most - least) * Math.random();
}

/// Returns an integer from first to last, both included; from 1 to first for one argument.
export function integer(first, last) {
  if (first === undefined)
    return Math.floor(Math.random() * 2147483648);
  const [least, most] = last === undefined ? [1, first] : [first, last];
  return least + Math.floor((most - least + 1) * Math.random());
}

/// Returns true with that probability.
export function bool(probability = 0.5) {
  return Math.random() < probability;
}
