// SPDX-License-Identifier: Apache-2.0
// The one time that scene and curves show, and how it goes on.

export const kSpeeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Player {
  time: number;
  playing = false;
  speed = 1;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly start: number, private stop: number) {
    this.time = start;
  }

  get end(): number {
    return this.stop;
  }

  /** A recording of a running simulation has grown. */
  growTo(end: number): void {
    this.stop = Math.max(this.stop, end);
    this.changed();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  seek(time: number): void {
    this.time = Math.min(this.stop, Math.max(this.start, time));
    this.changed();
  }

  toggle(): void {
    if (!this.playing && this.time >= this.stop) this.time = this.start;
    this.playing = !this.playing && this.stop > this.start;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /** To the next speed of the list, up (1) or down (-1). */
  changeSpeed(step: 1 | -1): void {
    const at = kSpeeds.indexOf(this.speed);
    this.setSpeed(kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, at + step))]!);
  }

  /** Time goes on by seconds of the clock on the wall. */
  advance(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.stop) {
      this.time = this.stop;
      this.playing = false;
    }
    this.changed();
  }
}
