// SPDX-License-Identifier: Apache-2.0
// Compares pictures of the page so that only differences that people would see count.
import { inflateSync } from 'node:zlib';

/** The pixels of a PNG as browsers write them: 8 bits, RGB or RGBA, not interlaced. */
export function decodePng(file) {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const channels = { 2: 3, 6: 4 }[file[25]];
  if (file[24] !== 8 || !channels || file[28] !== 0) throw new Error('a PNG of another kind');
  const parts = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const packed = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const above = y > 0 ? pixels[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * stride + x - channels] : 0;
      const guess = left + above - corner;
      const [a, b, c] = [left, above, corner].map((each) => Math.abs(guess - each));
      const paeth = a <= b && a <= c ? left : b <= c ? above : corner;
      const base = [0, left, above, (left + above) >> 1, paeth][filter];
      pixels[y * stride + x] = packed[y * (stride + 1) + 1 + x] + base;
    }
  }
  return { width, height, channels, pixels };
}

/** The mean colours of squares, which hide how smooth edges are drawn. */
function squares({ width, height, channels, pixels }, size) {
  const means = [];
  for (let top = 0; top < height; top += size) {
    for (let left = 0; left < width; left += size) {
      const sum = [0, 0, 0];
      let count = 0;
      for (let y = top; y < Math.min(height, top + size); y++) {
        for (let x = left; x < Math.min(width, left + size); x++, count++) {
          for (let c = 0; c < 3; c++) sum[c] += pixels[(y * width + x) * channels + c];
        }
      }
      means.push(...sum.map((each) => each / count));
    }
  }
  return means;
}

/** The differences between two pictures, of 255: the largest one of a square, and the mean of all. */
export function compare(first, second, size = 8) {
  const a = decodePng(first);
  const b = decodePng(second);
  if (a.width !== b.width || a.height !== b.height) return { largest: 255, mean: 255 };
  const [left, right] = [squares(a, size), squares(b, size)];
  const differences = left.map((value, i) => Math.abs(value - right[i]));
  return { largest: Math.max(...differences), mean: differences.reduce((sum, each) => sum + each, 0) / differences.length };
}
