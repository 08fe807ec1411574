// SPDX-License-Identifier: Apache-2.0
// The stream of a running simulation becomes a growing Recording. A lost connection is opened again.
import { type Frame, type RawRecord, Recording, RecordReader } from './recording.ts';
import { RecordingError } from './scene.ts';

/** 10 minutes at 25 frames per second. */
export const kMostFrames = 15_000;
const kMostBytes = 256e6; // limit of the size of the frames
const kDelays = [0.5, 1, 2, 4, 5]; // time until the next try [s]
const kSilence = 8; // longest time between two records [s]; a status comes every 2 s
const kOverlap = 200; // limit of the frames that a new connection repeats; the run keeps 50

/** The contents of a record of kind L. */
export interface RunStatus {
  paused: boolean;
  /** Simulated seconds per second; null: as fast as possible. */
  speed: number | null;
  /** Whether this page may control the run. */
  control: boolean;
}

export interface Clock {
  /** The time [s]. */
  now(): number;
  after(seconds: number, action: () => void): number;
  cancel(timer: number): void;
}

export const kClock: Clock = {
  now: () => performance.now() / 1000,
  after: (seconds, action) => window.setTimeout(action, 1000 * seconds),
  cancel: (timer) => window.clearTimeout(timer),
};

export type Fetch = (address: string, options?: RequestInit) => Promise<Response>;

export interface Limits {
  frames: number;
  bytes: number;
}

/** The text of an answer that reports an error, as one line. */
export async function reasonOf(response: Response): Promise<string> {
  const text = (await response.text().catch(() => '')).trim().split('\n')[0]!.slice(0, 300);
  return text || `The run answers ${response.status}.`;
}

export class LiveSource {
  readonly recording = new Recording();
  status: RunStatus | null = null;
  /** `refused`: another try makes no sense. */
  state: 'connecting' | 'open' | 'lost' | 'ended' | 'refused' = 'connecting';
  /** Why the connection is lost or refused. */
  reason = '';
  /** The time of the next try, by the clock [s]. */
  retryAt = 0;
  /** What is wrong with the newest frame; empty if nothing is. */
  problem = '';
  /** Is called when something has changed. */
  onChange: () => void = () => {};
  private attempts = 0; // number of failed tries since the last success
  private sceneBytes: Uint8Array = new Uint8Array(0);
  private overlaps = false; // the next frames may be known
  private repeats = false; // the last frame of the stream was known, and so are its pictures

  constructor(private readonly token: string, private readonly fetch: Fetch, private readonly clock: Clock = kClock,
    private readonly limits: Limits = { frames: kMostFrames, bytes: kMostBytes }) {}

  /** Reads until the run has ended. */
  async connect(): Promise<void> {
    const abort = new AbortController();
    let heard = this.clock.now();
    const check = (): number => this.clock.after(1, () => {
      if (this.clock.now() - heard > kSilence) abort.abort();
      else timer = check();
    });
    let timer = check();
    try {
      const response = await this.fetch(`/stream?token=${encodeURIComponent(this.token)}`, { signal: abort.signal, cache: 'no-store' });
      if (response.status === 403) return this.refuse(await reasonOf(response));
      if (!response.ok) return this.lose(await reasonOf(response));
      if (!response.body || !/octet-stream/.test(response.headers.get('content-type') ?? '')) return this.lose('What answers is no run.');
      const reader = new RecordReader();
      const body = response.body.getReader();
      this.overlaps = this.recording.frames.length > 0;
      this.repeats = this.overlaps;
      for (;;) {
        const { done, value } = await body.read();
        if (done) break;
        heard = this.clock.now();
        this.takeAll(reader.push(value));
        if (this.state === 'ended') return;
      }
      this.lose('The run has closed the connection.');
    } catch (error) {
      if (error instanceof RecordingError) {
        this.refuse(error.message);
        abort.abort();
      } else this.lose(abort.signal.aborted ? 'The run is silent.' : 'The run cannot be reached.');
    } finally {
      this.clock.cancel(timer);
    }
  }

  private takeAll(records: RawRecord[]): void {
    if (records.length === 0) return;
    this.state = 'open';
    this.reason = '';
    this.attempts = 0;
    for (const record of records) this.take(record);
    this.recording.keep(this.limits.frames, this.limits.bytes);
    this.onChange();
  }

  private take(record: RawRecord): void {
    const { recording } = this;
    if (record.kind === 'L') this.takeStatus(record.data);
    if (record.kind === 'S') {
      if (isEqual(record.data, this.sceneBytes)) return; // after a reset, or with a new connection
      this.sceneBytes = record.data;
    }
    if (record.kind === 'F') this.repeats = this.isKnown(record.data);
    if (this.repeats && (record.kind === 'F' || record.kind === 'P')) return;
    recording.add(record);
    // Unlike in a file, the next frame may be right again: a reset brings back what has moved too far away.
    if (recording.problem || record.kind === 'F') this.problem = recording.problem;
    recording.problem = '';
    if (record.kind === 'E') this.state = 'ended';
  }

  private takeStatus(data: Uint8Array): void {
    try {
      const json = JSON.parse(new TextDecoder().decode(data)) as { [key: string]: unknown };
      const { paused, speed, control } = json;
      this.status = { paused: paused === true, speed: typeof speed === 'number' && speed > 0 ? speed : null, control: control === true };
    } catch {
      // The next status comes soon.
    }
  }

  // A new connection begins with the last frames of the run.
  private isKnown(data: Uint8Array): boolean {
    if (!this.overlaps) return false;
    const { frames } = this.recording;
    const known = frames.slice(-kOverlap).some((frame: Frame) => isEqual(frame.data, data));
    if (!known) this.overlaps = false;
    return known;
  }

  private refuse(reason: string): void {
    this.state = 'refused';
    this.reason = reason;
    this.onChange();
  }

  private lose(reason: string): void {
    const delay = kDelays[Math.min(this.attempts++, kDelays.length - 1)]!;
    this.state = 'lost';
    this.reason = reason;
    this.retryAt = this.clock.now() + delay;
    this.clock.after(delay, () => void this.connect());
    this.onChange();
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
