// SPDX-License-Identifier: Apache-2.0
// How far the joints of two recordings are apart.
import type { Recording } from './recording.ts';

export interface Difference {
  /** rad or m; NaN if the other recording has no joint of that name, or at no common time. */
  largest: number;
  /** When that is. */
  time: number;
}

/** The joint's place in the scene of a frame, by its name. */
export function jointIndices(recording: Recording): Map<string, number>[] {
  return recording.scenes.map((scene) => new Map(scene.joints.map((joint, i) => [joint.name, i])));
}

/** Position of the joint at a time between frames; NaN where it does not exist. */
function positionAt(recording: Recording, indices: Map<string, number>[], name: string, time: number): number {
  const at = recording.indexAt(time);
  const a = recording.frames[at]!;
  const i = indices[a.segment]!.get(name);
  if (i === undefined) return NaN;
  const b = recording.frames[at + 1];
  const value = a.joint(i, 'position');
  if (!b || b.segment !== a.segment || b.time <= a.time || b.worldTime < a.worldTime) return value;
  return value + ((b.joint(i, 'position') - value) * (time - a.time)) / (b.time - a.time);
}

/** For each joint of the first recording: its largest distance from that of the second, at the first's frames. */
export function differences(first: Recording, second: Recording): Map<string, Difference> {
  const ours = jointIndices(first);
  const theirs = jointIndices(second);
  const from = Math.max(first.start, second.start);
  const to = Math.min(first.duration, second.duration) + 1e-9;
  const result = new Map<string, Difference>();
  for (const scene of first.scenes) {
    for (const joint of scene.joints) result.set(joint.name, { largest: NaN, time: NaN });
  }
  for (const frame of first.frames) {
    if (frame.time < from || frame.time > to) continue;
    for (const [name, i] of ours[frame.segment]!) {
      const distance = Math.abs(frame.joint(i, 'position') - positionAt(second, theirs, name, frame.time));
      const entry = result.get(name)!;
      if (distance > entry.largest || (Number.isNaN(entry.largest) && !Number.isNaN(distance))) {
        entry.largest = distance;
        entry.time = frame.time;
      }
    }
  }
  return result;
}
