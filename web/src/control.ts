// SPDX-License-Identifier: Apache-2.0
// Requests that change a run, one after the other.
import { type Fetch, reasonOf } from './live.ts';

export type Command =
  | { do: 'pause' | 'go' | 'step' | 'reset' }
  | { do: 'speed'; factor: number | null };

/** What is to be set of a motor. Position null: it turns with its velocity. */
export interface Targets {
  position?: number | null;
  velocity?: number;
  effort?: number;
}

const kPatience = 10_000; // ms

export class Control {
  /** Gets the text of a refused request, and an empty text when the next one was accepted. */
  onError: (text: string) => void = () => {};
  private queue: Promise<void> = Promise.resolve();
  // Values for a request that has not been sent.
  private readonly waiting = new Map<string, Targets>();

  constructor(private readonly token: string, private readonly fetch: Fetch) {}

  send(command: Command): Promise<void> {
    return this.post(() => command);
  }

  /**
   * Sets values of a motor. While a slider is dragged, values come faster than requests can be sent: the last one is
   * used.
   */
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
