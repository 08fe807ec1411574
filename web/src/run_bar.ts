// SPDX-License-Identifier: Apache-2.0
// The bar of a running simulation: its state, and the buttons that control it.
import type { Command } from './control.ts';
import type { LiveSource } from './live.ts';

const kSpeeds = [0.1, 0.25, 0.5, 1, 2, 5];
const kFastest = 'fastest';

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;
const setText = (id: string, text: string): void => {
  const element = byId(id);
  // An equal text set again would be read aloud again by a screen reader.
  if (element.textContent !== text) element.textContent = text;
};

const speedText = (speed: number | null): string => (speed === null ? 'as fast as possible' : `${Number(speed.toPrecision(4))}×`);

export class RunBar {
  private readonly speed = byId<HTMLSelectElement>('run-speed');
  private messageTimer = 0;

  constructor(private readonly source: LiveSource, private readonly send: (command: Command) => void) {
    byId('run').hidden = false;
    this.speed.replaceChildren(...kSpeeds.map((value) => new Option(speedText(value), String(value))), new Option(speedText(null), kFastest));
    this.speed.addEventListener('change', () => send({ do: 'speed', factor: this.speed.value === kFastest ? null : Number(this.speed.value) }));
    byId('run-toggle').addEventListener('click', () => this.toggle());
    byId('run-step').addEventListener('click', () => this.step());
    byId('run-reset').addEventListener('click', () => send({ do: 'reset' }));
  }

  /** Whether this page may control the run, and reaches it. */
  get controls(): boolean {
    return this.source.state === 'open' && this.source.status?.control === true;
  }

  toggle(): void {
    this.send({ do: this.source.status?.paused ? 'go' : 'pause' });
  }

  step(): void {
    if (this.controls) this.send({ do: 'step' });
  }

  /** @param now  the time by the clock of the source [s] */
  update(now: number): void {
    const { status, state } = this.source;
    const running = state === 'open' && !status?.paused;
    byId('run').dataset['state'] = state === 'open' ? (running ? 'live' : 'paused') : state;
    setText('run-word', state === 'open' ? (running ? 'Running' : 'Paused') : { connecting: 'Connecting', lost: 'Not connected', ended: 'Ended', refused: 'Not connected' }[state]);
    setText('run-about', this.about(now));
    byId('run-controls').hidden = !status?.control || state === 'ended' || state === 'refused';
    document.documentElement.classList.toggle('control', this.controls);
    setText('run-toggle', status?.paused ? 'Go on' : 'Pause');
    byId('run-toggle').title = status?.paused ? 'The run goes on (space)' : 'The run stops, for all who watch (space)';
    for (const id of ['run-toggle', 'run-step', 'run-reset', 'run-speed']) (byId(id) as HTMLButtonElement).disabled = !this.controls;
    if (status) this.showSpeed(status.speed);
  }

  private about(now: number): string {
    const { status, state, reason, retryAt, recording, problem } = this.source;
    if (state === 'ended') return `${recording.end?.reason ? `${recording.end.reason}.` : 'The run is over.'} This is a replay of what the page has seen.`;
    if (state === 'refused') return reason;
    if (state === 'connecting' || !status) return '';
    if (state === 'lost') {
      const seconds = Math.ceil(retryAt - now);
      return `${reason} ${seconds > 0 ? `Next try in ${seconds} s.` : 'Trying again …'}`;
    }
    if (problem) return `${problem.replace(/\.?$/, '.')} It is not shown.`;
    if (status.control) return '';
    return `${speedText(status.speed)}  ·  You can only watch: what you stop is this page, not the run.`;
  }

  private showSpeed(speed: number | null): void {
    const value = speed === null ? kFastest : String(speed);
    if (![...this.speed.options].some((option) => option.value === value)) this.speed.append(new Option(speedText(speed), value));
    if (this.speed.value !== value) this.speed.value = value;
  }

  /** Shows for some seconds why a request was refused. */
  message(text: string): void {
    window.clearTimeout(this.messageTimer);
    setText('run-message', text);
    byId('run-message').title = text;
    if (text) this.messageTimer = window.setTimeout(() => this.message(''), 8000);
  }
}
