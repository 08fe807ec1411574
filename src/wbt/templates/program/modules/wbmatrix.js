// SPDX-License-Identifier: Apache-2.0
// Square matrices of any size: lists of numbers, row by row.
const sizeOf = (matrix) => Math.round(Math.sqrt(matrix.length));

const make = (n, value) =>
  Array.from({length: n * n}, (_, i) => value(Math.floor(i / n), i % n));

export function identity(n) {
  return make(n, (row, column) => row === column ? 1 : 0);
}

export function multiply(a, b) {
  const n = sizeOf(a);
  return make(n, (row, column) => {
    let sum = 0;
    for (let k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + column];
    return sum;
  });
}

export function transpose(matrix) {
  const n = sizeOf(matrix);
  return make(n, (row, column) => matrix[column * n + row]);
}

const minor = (matrix, row, column) => {
  const n = sizeOf(matrix);
  return matrix.filter((_, i) => Math.floor(i / n) !== row && i % n !== column);
};

export function determinant(matrix) {
  const n = sizeOf(matrix);
  if (n === 1)
    return matrix[0];
  let sum = 0;
  for (let k = 0; k < n; ++k)
    sum += (k % 2 === 0 ? 1 : -1) * matrix[k] * determinant(minor(matrix, 0, k));
  return sum;
}

/// Returns undefined if there is none.
export function inverse(matrix) {
  const n = sizeOf(matrix);
  const d = determinant(matrix);
  return d === 0 ? undefined : make(n, (row, column) =>
    ((row + column) % 2 === 0 ? 1 : -1) * determinant(minor(matrix, column, row)) / d);
}
