// SPDX-License-Identifier: Apache-2.0
export function info(text) {
  console.info(text);
}

export function warning(text) {
  console.warn(text);
}

export function error(text) {
  console.error(text);
}

/// In place, with Math.random(); the same list is returned.
export function shuffleList(list) {
  for (let i = list.length - 1; i > 0; --i) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

/// '#ff8000' as {r: 1, g: 0.5, b: 0}.
export function colorHexadecimalToRGB(text) {
  const number = parseInt(text.replace('#', ''), 16);
  return {r: (number >> 16 & 255) / 255, g: (number >> 8 & 255) / 255, b: (number & 255) / 255};
}
