// SPDX-License-Identifier: Apache-2.0
// The list of joints, with a filter, the choice, and the largest differences of two recordings; and the present
// values of the chosen joints.
import type { Curves, Item } from './curves.ts';
import { format } from './curves.ts';
import type { Difference } from './differences.ts';
import type { Moment } from './pose.ts';
import type { Scene } from './scene.ts';

function element<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

export class JointList {
  /** Is called when the user has chosen a joint or taken it away. */
  onToggle: (item: Item) => void = () => {};
  /** Is called when the user wants to see the time of a difference. */
  onTime: (time: number) => void = () => {};
  private rows: { name: string; row: HTMLElement; box: HTMLInputElement; swatch: HTMLElement }[] = [];

  constructor(private readonly root: HTMLElement, private readonly filter: HTMLInputElement, private readonly count: HTMLElement,
    private readonly differences: Map<string, Difference> | null) {
    filter.addEventListener('input', () => this.applyFilter());
  }

  show(scene: Scene): void {
    const largest = (name: string) => this.differences?.get(name)?.largest ?? NaN;
    const joints = [...scene.joints];
    // The largest differences come first, in rad and in m.
    if (this.differences) joints.sort((a, b) => (largest(b.name) || 0) - (largest(a.name) || 0));
    this.rows = joints.map((joint) => {
      const row = element('label', 'joint');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.addEventListener('change', () => this.onToggle({ kind: 'joint', name: joint.name }));
      const swatch = element('i', 'swatch');
      const name = element('span', 'name', joint.name || '(no name)');
      name.title = `${joint.name} (${joint.type}${joint.servo ? `, ${joint.servo.model}` : ''})`;
      row.append(box, swatch, name);
      const difference = this.differences?.get(joint.name);
      if (difference) {
        const known = Number.isFinite(difference.largest);
        const text = element('button', 'difference', known ? (difference.largest === 0 ? 'equal' : `Δ ${format(difference.largest)} ${joint.unit}`) : 'only in the first');
        if (known) {
          text.title = `Largest difference of the positions, at ${difference.time.toFixed(3)} s`;
          text.addEventListener('click', (event) => {
            event.preventDefault();
            this.onTime(difference.time);
          });
        }
        row.append(text);
      }
      return { name: joint.name, row, box, swatch };
    });
    this.root.replaceChildren(...this.rows.map(({ row }) => row));
    this.applyFilter();
  }

  private applyFilter(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { name, row } of this.rows) {
      const matches = words.every((word) => name.toLowerCase().includes(word));
      row.hidden = !matches;
      if (matches) shown++;
    }
    this.count.textContent = shown === this.rows.length ? `${shown}` : `${shown} of ${this.rows.length}`;
  }

  mark(curves: Curves): void {
    for (const { name, box, swatch } of this.rows) {
      const item: Item = { kind: 'joint', name };
      const color = curves.color(item);
      box.checked = color !== 'transparent';
      swatch.style.background = color;
    }
  }

  /** Scrolls a joint into view. */
  reveal(name: string): void {
    this.rows.find((row) => row.name === name)?.row.scrollIntoView({ block: 'nearest' });
  }
}

/** A row for each chosen item: position, velocity and effort, or x, y and z. */
export class Values {
  onRemove: (item: Item) => void = () => {};
  private rows: { item: Item; cells: HTMLElement[] }[] = [];

  constructor(private readonly root: HTMLElement) {}

  show(curves: Curves): void {
    const head = element('div', 'values head');
    head.append(element('span', 'name'), ...['position', 'velocity', 'effort'].map((text) => element('span', 'value', text)), element('span', 'remove'));
    head.lastElementChild!.textContent = '\u2002';
    this.root.replaceChildren(...(curves.items.some((item) => item.kind === 'joint') ? [head] : []));
    this.rows = curves.items.map((item) => {
      const row = element('div', 'values');
      const swatch = element('i', 'swatch');
      swatch.style.background = curves.color(item);
      const name = element('span', 'name', item.name);
      name.title = item.name;
      const cells = [0, 1, 2].map(() => element('span', 'value'));
      const remove = element('button', 'remove', '×');
      remove.title = 'Take it away';
      remove.setAttribute('aria-label', `Take ${item.name} away`);
      remove.addEventListener('click', () => this.onRemove(item));
      row.append(swatch, name, ...cells, remove);
      this.root.append(row);
      return { item, cells };
    });
  }

  update(moment: Moment): void {
    const { scene } = moment.frame;
    for (const { item, cells } of this.rows) {
      let texts = ['–', '–', '–'];
      if (item.kind === 'joint') {
        const index = scene.joints.findIndex((joint) => joint.name === item.name);
        if (index >= 0) {
          texts = (['position', 'velocity', 'effort'] as const).map((quantity) => format(moment.joint(index, quantity)));
        }
      } else {
        const index = scene.bodies.findIndex((body) => body.name === item.name);
        if (index >= 0) texts = [0, 1, 2].map((k) => `${'xyz'[k]} ${format(moment.poses[7 * index + k]!)}`);
      }
      cells.forEach((cell, i) => {
        if (cell.textContent !== texts[i]) cell.textContent = texts[i]!;
      });
    }
  }
}
