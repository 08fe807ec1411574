// SPDX-License-Identifier: Apache-2.0
// The distances between the joints of two recordings.
import type { Recording } from './recording.ts';

export interface Difference {
  /** [rad or m]; NaN if the other recording has no joint of that name, or at no common time. */
  largest: number;
  /** The time of the largest distance. */
  time: number;
}

/** The position of the joint at a time between frames; NaN where it does not exist. */
function positionAt(recording: Recording, name: string, time: number): number {
  const at = recording.indexAt(time);
  const a = recording.frames[at]!;
  const i = a.scene.jointIndices.get(name);
  if (i === undefined) return NaN;
  const b = recording.frames[at + 1];
  const value = a.joint(i, 'position');
  if (!b || b.scene !== a.scene || b.time <= a.time || b.worldTime < a.worldTime) return value;
  return value + ((b.joint(i, 'position') - value) * (time - a.time)) / (b.time - a.time);
}

/**
 * For each joint of the first recording, its largest distance from that of the second one, at the frames of the
 * first.
 */
export function differences(first: Recording, second: Recording): Map<string, Difference> {
  const from = Math.max(first.start, second.start);
  const to = Math.min(first.duration, second.duration) + 1e-9;
  const result = new Map<string, Difference>();
  for (const scene of first.scenes) {
    for (const joint of scene.joints) result.set(joint.name, { largest: NaN, time: NaN });
  }
  for (const frame of first.frames) {
    if (frame.time < from || frame.time > to) continue;
    for (const [name, i] of frame.scene.jointIndices) {
      const distance = Math.abs(frame.joint(i, 'position') - positionAt(second, name, frame.time));
      const entry = result.get(name)!;
      if (distance > entry.largest || (Number.isNaN(entry.largest) && !Number.isNaN(distance))) {
        entry.largest = distance;
        entry.time = frame.time;
      }
    }
  }
  return result;
}
