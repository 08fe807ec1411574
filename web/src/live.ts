// SPDX-License-Identifier: Apache-2.0
// The stream of a run that goes on → a growing Recording. Opens it again where the connection is lost.
import { type Frame, type RawRecord, Recording, RecordReader } from './recording.ts';
import { RecordingError } from './scene.ts';

/** 10 minutes at 25 frames per second. */
export const kMostFrames = 15_000;
const kMostBytes = 256e6; // of frames
const kDelays = [0.5, 1, 2, 4, 5]; // s until it is tried again
const kSilence = 8; // s: a status comes every 2 s
const kOverlap = 200; // frames that may come again with a new connection; the run keeps 50

/** What a record of kind L says. */
export interface RunStatus {
  paused: boolean;
  /** Simulated seconds per second; null: as fast as possible. */
  speed: number | null;
  /** Whether this page may control the run. */
  control: boolean;
}

export interface Clock {
  /** s */
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

/** Text of an answer that is an error, of one line. */
export async function reasonOf(response: Response): Promise<string> {
  const text = (await response.text().catch(() => '')).trim().split('\n')[0]!.slice(0, 300);
  return text || `The run answers ${response.status}.`;
}

export class LiveSource {
  readonly recording = new Recording();
  status: RunStatus | null = null;
  /** `refused`: it makes no sense to try again. */
  state: 'connecting' | 'open' | 'lost' | 'ended' | 'refused' = 'connecting';
  /** Why it is lost or refused. */
  reason = '';
  /** When it is tried again [s of the clock]. */
  retryAt = 0;
  /** What is wrong with the newest frame; empty if it is right. */
  problem = '';
  /** Something is new. */
  onChange: () => void = () => {};
  private attempts = 0; // in vain, one after the other
  private sceneBytes: Uint8Array = new Uint8Array(0);
  private overlaps = false; // frames may come that are known

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
    if (record.kind === 'F' && this.isKnown(record.data)) return;
    recording.add(record);
    // Unlike in a file, the next frame may be right again: a reset brings back what has flown away.
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
      // The next one comes soon.
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
