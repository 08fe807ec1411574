// SPDX-License-Identifier: Apache-2.0
// The time that scene and curves show, and how it advances.

export const kSpeeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Player {
  time: number;
  playing = false;
  speed = 1;
  /** Whether the recording grows, since its run goes on. */
  growing = false;
  /** Whether the time stays at the newest frame of a growing recording. */
  following = false;
  private readonly listeners: (() => void)[] = [];

  constructor(private begin: number, private stop: number) {
    this.time = begin;
  }

  get start(): number {
    return this.begin;
  }

  get end(): number {
    return this.stop;
  }

  /** Takes the range of a recording that has grown, and may have forgotten its oldest frames. */
  growTo(end: number, start = this.begin): void {
    this.begin = start;
    this.stop = Math.max(this.stop, end);
    this.time = this.following ? this.stop : Math.max(start, this.time);
    this.changed();
  }

  /** Goes to the newest frame, and stays at the newest one. */
  follow(): void {
    this.growing = this.following = true;
    this.playing = false;
    this.time = this.stop;
    this.changed();
  }

  /** Ends the growth: no more frames come. */
  finish(): void {
    this.growing = this.following = false;
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
    this.following = this.growing && time >= this.stop;
    this.changed();
  }

  toggle(): void {
    if (this.following) return this.pause();
    if (this.growing && !this.playing && this.time >= this.stop) return this.follow();
    if (!this.playing && this.time >= this.stop) this.time = this.start;
    this.playing = !this.playing && this.stop > this.start;
    this.changed();
  }

  pause(): void {
    this.playing = this.following = false;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /** Takes the next speed of the list, up (1) or down (-1). */
  changeSpeed(step: 1 | -1): void {
    const at = kSpeeds.indexOf(this.speed);
    this.setSpeed(kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, at + step))]!);
  }

  /** Advances the time by seconds of real time. */
  advance(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.stop) {
      if (this.growing) return this.follow();
      this.time = this.stop;
      this.playing = false;
    }
    this.changed();
  }
}
