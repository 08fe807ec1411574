// SPDX-License-Identifier: Apache-2.0
// Curves of chosen joints and bodies over time, with the player's time as their cursor.
import uPlot from 'uplot';
import type { Player } from './player.ts';
import type { Frame, Quantity, Recording, ServoQuantity } from './recording.ts';
import type { Joint, Scene } from './scene.ts';

export interface Item {
  kind: 'joint' | 'body';
  name: string;
}

interface Curve {
  label: string;
  color: string;
  width: number;
  dash?: number[];
  of: 0 | 1; // index of the recording
  value: (frame: number) => number;
}

interface Limit {
  color: string;
  at: number;
}

/** Marks the frames in which something is true, as bars at the lower edge of a chart. */
interface Bar {
  color: string;
  of: 0 | 1;
  at: (frame: number) => boolean;
}

interface Chart {
  title: string;
  curves: Curve[];
  limits: Limit[];
  bars: Bar[];
  /** What the bars mean. */
  meaning: string;
}

const kColors = {
  light: ['#2f6fd0', '#d9742b', '#2f9160', '#b8478f', '#7a5cc7', '#8a7a1f', '#1d8fa3', '#c24545'],
  dark: ['#6ea8ff', '#f2a25c', '#62c793', '#e486bf', '#ae96f5', '#cdb95a', '#57c3d6', '#f07f7f'],
};
export const kMostItems = kColors.light.length;

const kLiveFrames = 750; // frames in view while the time follows a run: half a minute

const kLeastSpan = 1e-3; // a smaller span is noise and is drawn flat [rad, m …]

const kDuty = 'Duty';
const kBar = 4; // height of a bar [px]

const effortUnit = (unit: string) => (unit === 'm' ? 'N' : 'N·m');

/** A text with three significant digits after the part that does not change. */
export function format(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < 5e-7) return '0';
  if (size < 1e-3 || size >= 1e5) return value.toExponential(2).replaceAll('-', '−');
  return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3).replace('-', '−');
}

export class Curves {
  items: Item[] = [];
  private plots: uPlot[] = [];
  private cursors: HTMLElement[] = [];
  private charts: Chart[] = [];
  private window: [number, number] | null = null;
  // Length of the window while the time follows a run [s]; null: kLiveFrames.
  private span: number | null = null;
  private followed = false;
  private tables: uPlot.AlignedData[] = [];
  private absent: ((frame: number) => number)[] = []; // curves that had no number in any frame
  private taken = 0; // number of frames, including the forgotten ones
  private forgotten = 0;
  private scene: Scene | null = null;
  private readonly recordings: Recording[];

  constructor(private readonly root: HTMLElement, recordings: Recording[], private readonly player: Player) {
    this.recordings = recordings;
    new ResizeObserver(() => this.resize()).observe(root);
  }

  color(item: Item): string {
    const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
    const at = this.items.findIndex((each) => each.kind === item.kind && each.name === item.name);
    return at < 0 ? 'transparent' : kColors[dark ? 'dark' : 'light'][at]!;
  }

  show(items: Item[]): void {
    this.items = items;
    this.build();
  }

  /** Builds the charts again, after a change of colours. */
  build(): void {
    for (const plot of this.plots) plot.destroy();
    this.root.replaceChildren();
    this.plots = [];
    this.cursors = [];
    this.absent = [];
    this.charts = this.describe();
    const [first] = this.recordings;
    this.forgotten = first!.forgotten;
    this.taken = first!.forgotten + first!.frames.length;
    this.scene = first!.scene;
    this.tables = this.charts.map((chart) => this.data(chart));
    this.charts.forEach((chart, i) => this.plot(chart, this.tables[i]!));
    this.moveCursor();
  }

  private joint(name: string): Joint | undefined {
    for (const scene of [...this.recordings[0]!.scenes].reverse()) {
      const found = scene.joints.find((each) => each.name === name);
      if (found) return found;
    }
    return undefined;
  }

  private column(of: 0 | 1, name: string, quantity: (frame: Frame, joint: number) => number): ((frame: number) => number) | null {
    const { frames } = this.recordings[of]!;
    const value = (i: number) => {
      const frame = frames[i]!;
      const index = frame.scene.jointIndices.get(name);
      return index === undefined ? NaN : quantity(frame, index);
    };
    if (frames.some((_, i) => Number.isFinite(value(i)))) return value;
    this.absent.push(value);
    return null;
  }

  private describe(): Chart[] {
    const charts = new Map<string, Chart>();
    const chart = (title: string): Chart => {
      if (!charts.has(title)) charts.set(title, { title, curves: [], limits: [], bars: [], meaning: '' });
      return charts.get(title)!;
    };
    const joints = this.items.filter((item) => item.kind === 'joint').map((item) => ({ item, joint: this.joint(item.name) }));
    const of = (quantity: Quantity) => (frame: Frame, joint: number) => frame.joint(joint, quantity);
    const ofServo = (quantity: ServoQuantity) => (frame: Frame, joint: number) => frame.servo(joint, quantity);
    const each = (title: (unit: string) => string, quantity: ReturnType<typeof of>, target: ReturnType<typeof of> | null, limits: (joint: Joint) => (number | null)[]) => {
      for (const { item, joint } of joints) {
        if (!joint) continue;
        const color = this.color(item);
        this.recordings.forEach((_, index) => {
          const of = index as 0 | 1;
          const value = this.column(of, item.name, quantity);
          const wanted = target ? this.column(of, item.name, target) : null;
          const into = chart(title(joint.unit));
          const other = of === 1;
          if (wanted) into.curves.push({ label: `${item.name} target`, color: color + (other ? '70' : '99'), width: 1, dash: [5, 4], of, value: wanted });
          if (value) into.curves.push({ label: item.name, color: other ? color + '99' : color, width: other ? 1.25 : 1.75, ...(other ? { dash: [1.5, 2.5] } : {}), of, value });
        });
        for (const at of limits(joint)) if (at !== null) chart(title(joint.unit)).limits.push({ color, at });
      }
    };
    each((unit) => `Position [${unit}]`, of('position'), of('target'), (joint) => [joint.min, joint.max]);
    each((unit) => `Velocity [${unit}/s]`, of('velocity'), of('targetVelocity'), (joint) => bothWays(joint.maxVelocity));
    each((unit) => `Effort [${effortUnit(unit)}]`, of('effort'), null, (joint) => bothWays(joint.maxEffort));
    each(() => 'Current [A]', ofServo('current'), null, () => []);
    each(() => 'Voltage [V]', ofServo('voltage'), null, () => []);
    each(() => kDuty, ofServo('duty'), null, () => []);
    each(() => 'Temperature [°C]', ofServo('temperature'), null, () => []);
    this.markSaturation(charts.get(kDuty));
    for (const item of this.items) if (item.kind === 'body') this.describeBody(item, chart);
    return [...charts.values()].filter(({ curves }) => curves.length > 0);
  }

  private markSaturation(chart: Chart | undefined): void {
    if (!chart) return;
    chart.meaning = 'bars: the PWM is at its limit';
    for (const item of this.items.filter(({ kind }) => kind === 'joint')) {
      this.recordings.forEach(({ frames }, of) => {
        chart.bars.push({
          color: this.color(item) + (of === 1 ? '99' : ''), of: of as 0 | 1,
          at: (i) => {
            const frame = frames[i]!;
            const joint = frame.scene.jointIndices.get(item.name);
            return joint !== undefined && frame.saturates(joint);
          },
        });
      });
    }
  }

  private describeBody(item: Item, chart: (title: string) => Chart): void {
    const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
    const colors = kColors[dark ? 'dark' : 'light'];
    this.recordings.forEach((recording, of) => {
      const slots = new Map<Scene, number>();
      const slotIn = (scene: Scene): number => {
        if (!slots.has(scene)) slots.set(scene, scene.bodies.find((body) => body.name === item.name)?.slot ?? -1);
        return slots.get(scene)!;
      };
      if (!recording.scenes.some((scene) => slotIn(scene) >= 0)) return;
      ['x', 'y', 'z'].forEach((axis, k) => {
        chart(`Place of ${item.name} [m]`).curves.push({
          label: axis, color: colors[[7, 2, 0][k]!]! + (of ? '99' : ''), width: 1.5, of: of as 0 | 1, ...(of ? { dash: [1.5, 2.5] } : {}),
          value: (i) => {
            const frame = recording.frames[i]!;
            const slot = slotIn(frame.scene);
            return slot >= 0 ? frame.place(slot, k) : NaN;
          },
        });
      });
    });
  }

  private data(chart: Chart): uPlot.AlignedData {
    const tables = this.recordings.map((recording, of) => {
      const x = recording.frames.map((frame) => frame.time);
      const y = chart.curves.filter((curve) => curve.of === of).map((curve) => x.map((_, i) => {
        const value = curve.value(i);
        return Number.isFinite(value) ? value : null;
      }));
      return [x, ...y] as uPlot.AlignedData;
    });
    return tables.length === 1 ? tables[0]! : uPlot.join(tables);
  }

  private plot(chart: Chart, data: uPlot.AlignedData): void {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-2').trim();
    const line = style.getPropertyValue('--line').trim();
    const font = '11px system-ui, sans-serif';
    const section = document.createElement('section');
    const title = document.createElement('h3');
    title.textContent = chart.title;
    const beyond = document.createElement('span');
    const meaning = document.createElement('span');
    meaning.textContent = chart.meaning;
    title.append(beyond, ...(chart.meaning ? [meaning] : []));
    section.append(title);
    this.root.append(section);
    const ordered = [0, 1].flatMap((of) => chart.curves.filter((curve) => curve.of === of));
    const plot = new uPlot({
      ...this.size(),
      padding: [6, 18, 0, 0],
      cursor: { show: false },
      legend: { show: false },
      scales: { x: { time: false, ...(this.window || this.player.following ? { min: this.shownWindow()[0], max: this.shownWindow()[1] } : {}) }, y: { range: (_, low, high) => rangeOf(low, high, chart.limits) } },
      axes: [
        { stroke: ink, font, size: 26, grid: { stroke: line, width: 1 }, ticks: { show: false }, values: (_, values) => values.map((v, i) => `${Number(v.toFixed(6))}${i === values.length - 1 ? ' s' : ''}`) },
        { stroke: ink, font, size: 54, grid: { stroke: line, width: 1 }, ticks: { show: false } },
      ],
      series: [{}, ...ordered.map((curve): uPlot.Series => ({
        label: curve.label, stroke: curve.color, width: curve.width, ...(curve.dash ? { dash: curve.dash } : {}), points: { show: () => this.recordings[curve.of]!.frames.length < 2 },
      }))],
      hooks: {
        draw: [(u) => {
          const outside = drawLimits(u, chart.limits);
          beyond.textContent = outside.length > 0 ? `limits out of view: ${listed(outside)}` : '';
          drawBars(u, chart.bars, this.recordings);
        }],
        setSize: [() => this.moveCursor()],
        setScale: [() => this.moveCursor()],
      },
    }, data, section);
    const cursor = document.createElement('div');
    cursor.className = 'time';
    plot.over.append(cursor);
    this.listen(plot);
    this.plots.push(plot);
    this.cursors.push(cursor);
  }

  private listen(plot: uPlot): void {
    const { over } = plot;
    const seek = (event: PointerEvent) => this.player.seek(plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      this.player.pause();
      seek(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (over.hasPointerCapture(event.pointerId)) seek(event);
    });
    over.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'), Math.exp(0.0015 * event.deltaY));
    }, { passive: false });
    over.addEventListener('dblclick', () => {
      this.span = null;
      this.setWindow(null);
    });
  }

  private whole(): [number, number] {
    return [Math.min(...this.recordings.map((each) => each.start)), Math.max(...this.recordings.map((each) => each.duration))];
  }

  private zoom(around: number, factor: number): void {
    const [start, end] = this.whole();
    const [from, to] = this.shownWindow();
    if (this.player.following) {
      this.span = Math.min(end - start, Math.max(0.01, (to - from) * factor));
      this.setWindow(null);
      return;
    }
    const low = Math.max(start, around - (around - from) * factor);
    const high = Math.min(end, around + (to - around) * factor);
    if (high - low > 0.01) this.setWindow(low <= start && high >= end ? null : [low, high]);
  }

  private setWindow(window: [number, number] | null): void {
    this.window = window;
    const [min, max] = this.shownWindow();
    for (const plot of this.plots) plot.setScale('x', { min, max });
  }

  private shownWindow(): [number, number] {
    if (!this.player.following) return this.window ?? this.whole();
    const { frames, start, duration } = this.recordings[0]!;
    const from = this.span === null ? frames[Math.max(0, frames.length - kLiveFrames)]!.time : Math.max(start, duration - this.span);
    return [from, Math.max(duration, from + 0.01)];
  }

  /** Adds the new frames of a run, and drops those that its recording has forgotten. */
  grow(): void {
    const recording = this.recordings[0]!;
    const gone = recording.forgotten - this.forgotten;
    const first = this.taken - recording.forgotten;
    const fresh = Array.from({ length: Math.max(0, recording.frames.length - first) }, (_, i) => first + i);
    if (fresh.length === 0 && gone === 0) return;
    if (recording.scene !== this.scene || first < 0 || this.absent.some((value) => fresh.some((i) => Number.isFinite(value(i))))) return this.build();
    this.charts.forEach((chart, k) => {
      const [x, ...columns] = this.tables[k] as [number[], ...(number | null)[][]];
      for (const column of [x, ...columns]) column.splice(0, gone);
      for (const i of fresh) {
        x.push(recording.frames[i]!.time);
        chart.curves.forEach((curve, c) => {
          const value = curve.value(i);
          columns[c]!.push(Number.isFinite(value) ? value : null);
        });
      }
      const [min, max] = this.shownWindow();
      this.plots[k]!.batch(() => {
        this.plots[k]!.setData(this.tables[k]!, false);
        this.plots[k]!.setScale('x', { min, max });
      });
    });
    this.forgotten = recording.forgotten;
    this.taken = recording.forgotten + recording.frames.length;
    this.moveCursor();
  }

  // When the time leaves the end of a run, the window stays; after that it moves with the time.
  private moveWindow(): void {
    const { following, growing, time } = this.player;
    if (following !== this.followed) {
      this.followed = following;
      const [plot] = this.plots;
      this.setWindow(following || !plot ? null : [plot.scales['x']!.min!, plot.scales['x']!.max!]);
    } else if (growing && this.window && (time < this.window[0] || time > this.window[1])) {
      const [from, to] = this.window;
      const begin = Math.max(this.recordings[0]!.start, time - (to - from) / 2);
      this.setWindow([begin, begin + to - from]);
    }
  }

  private size(): { width: number; height: number } {
    const count = Math.max(1, this.charts.length);
    const height = Math.floor(this.root.clientHeight / count) - 24;
    return { width: Math.max(160, this.root.clientWidth), height: Math.min(260, Math.max(104, height)) };
  }

  private resize(): void {
    for (const plot of this.plots) plot.setSize(this.size());
  }

  /** Puts the cursors at the player's time. */
  showTime(): void {
    this.moveWindow();
    this.moveCursor();
  }

  private moveCursor(): void {
    const { following, time } = this.player;
    this.plots.forEach((plot, i) => {
      // The curves are drawn less often than frames arrive.
      const x = plot.valToPos(following ? Math.min(time, plot.scales['x']!.max ?? time) : time, 'x');
      const cursor = this.cursors[i];
      if (!cursor) return;
      cursor.style.transform = `translateX(${x.toFixed(2)}px)`;
      cursor.hidden = !(x >= 0 && x <= plot.over.clientWidth);
    });
  }

  /** The times of the cursors of the charts. */
  cursorTimes(): number[] {
    return this.plots.map((plot, i) => plot.posToVal(new DOMMatrix(this.cursors[i]!.style.transform).m41, 'x'));
  }

  get titles(): string[] {
    return this.charts.map((chart) => chart.title);
  }
}

function bothWays(limit: number | null): (number | null)[] {
  return limit === null ? [] : [-limit, limit];
}

/** A text for limits: ±4 for −4 and 4. */
function listed(limits: number[]): string {
  const text = (at: number) => String(Number(at.toPrecision(4))).replace('-', '−');
  return limits.filter((at) => at >= 0 || !limits.includes(-at)).map((at) => (at > 0 && limits.includes(-at) ? `±${text(at)}` : text(at))).join(', ');
}

/** The curves fill the height. Limits are in view if they take at most half of it. */
export function rangeOf(low: number | null, high: number | null, limits: { at: number }[]): [number, number] {
  if (low === null || high === null) return [-1, 1];
  let [from, to] = [low, high];
  if (to - from < kLeastSpan) {
    const middle = (from + to) / 2;
    [from, to] = [middle - kLeastSpan, middle + kLeastSpan];
  }
  const span = to - from;
  for (const { at } of limits) {
    if (at < from && at > low - 0.6 * span) from = at;
    if (at > to && at < high + 0.6 * span) to = at;
  }
  const margin = 0.06 * (to - from);
  return [from - margin, to + margin];
}

/** The spans of time from each frame in which something is true to the next one. */
export function spansOf(times: number[], at: (frame: number) => boolean): [number, number][] {
  const spans: [number, number][] = [];
  times.forEach((time, i) => {
    if (!at(i)) return;
    const end = times[i + 1] ?? time;
    const last = spans[spans.length - 1];
    if (last && last[1] === time) last[1] = end;
    else spans.push([time, end]);
  });
  return spans;
}

function drawBars(plot: uPlot, bars: Bar[], recordings: Recording[]): void {
  const pen = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  const thickness = kBar * devicePixelRatio;
  pen.save();
  pen.beginPath();
  pen.rect(left, top, width, height);
  pen.clip();
  bars.forEach(({ color, of, at }, k) => {
    pen.fillStyle = color;
    for (const [from, to] of spansOf(recordings[of]!.frames.map((frame) => frame.time), at)) {
      const x = plot.valToPos(from, 'x', true);
      pen.fillRect(x, top + height - (k + 1) * thickness, Math.max(devicePixelRatio, plot.valToPos(to, 'x', true) - x), 0.8 * thickness);
    }
  });
  pen.restore();
}

/** Draws limits as dashed lines, and returns those that are out of view. */
function drawLimits(plot: uPlot, limits: Limit[]): number[] {
  const pen = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  const outside: number[] = [];
  pen.save();
  pen.beginPath();
  pen.rect(left, top, width, height);
  pen.clip();
  for (const { at, color } of limits) {
    const y = plot.valToPos(at, 'y', true);
    if (y < top || y > top + height) {
      if (!outside.includes(at)) outside.push(at);
      continue;
    }
    pen.strokeStyle = color;
    pen.globalAlpha = 0.55;
    pen.lineWidth = devicePixelRatio;
    pen.setLineDash([10 * devicePixelRatio, 3 * devicePixelRatio, 2 * devicePixelRatio, 3 * devicePixelRatio]);
    pen.beginPath();
    pen.moveTo(left, y);
    pen.lineTo(left + width, y);
    pen.stroke();
  }
  pen.restore();
  return outside.sort((a, b) => a - b);
}
