// SPDX-License-Identifier: Apache-2.0
// Requests that change a run, one after the other.
import { type Fetch, reasonOf } from './live.ts';

export type Command =
  | { do: 'pause' | 'go' | 'step' | 'reset' }
  | { do: 'speed'; factor: number | null };

/** Of a motor; only what is to be set. Position null: it turns with its velocity. */
export interface Targets {
  position?: number | null;
  velocity?: number;
  effort?: number;
}

const kPatience = 10_000; // ms

export class Control {
  /** A request was refused; empty: the next one was not. */
  onError: (text: string) => void = () => {};
  private queue: Promise<void> = Promise.resolve();
  private readonly waiting = new Map<string, Targets>(); // what a request that has not left yet sets

  constructor(private readonly token: string, private readonly fetch: Fetch) {}

  send(command: Command): Promise<void> {
    return this.post(() => command);
  }

  /** Sets values of a motor. Those of a slider that is dragged come faster than they can leave: the last one counts. */
  motor(joint: string, targets: Targets): Promise<void> {
    const waiting = this.waiting.get(joint);
    if (waiting) {
      Object.assign(waiting, targets);
      return this.queue;
    }
    this.waiting.set(joint, { ...targets });
    return this.post(() => {
      const all = this.waiting.get(joint)!;
      this.waiting.delete(joint);
      return { do: 'motor', joint, ...all };
    });
  }

  private post(body: () => object): Promise<void> {
    this.queue = this.queue.then(async () => {
      try {
        const response = await this.fetch(`/control?token=${encodeURIComponent(this.token)}`,
          { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body()), signal: AbortSignal.timeout(kPatience) });
        this.onError(response.ok ? '' : await reasonOf(response));
      } catch {
        this.onError('The run cannot be reached.');
      }
    });
    return this.queue;
  }
}
