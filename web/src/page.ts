// SPDX-License-Identifier: Apache-2.0
// The page: reads the recordings that it contains, or watches a run; connects scene, curves, list and controls.
import { Control } from './control.ts';
import { Curves, type Item, kMostItems } from './curves.ts';
import { differences } from './differences.ts';
import { Insets } from './insets.ts';
import { JointList, Values } from './joints.ts';
import { kClock, LiveSource } from './live.ts';
import { type Link, readLink, writeLink } from './link.ts';
import { kMarks } from './marks.ts';
import { MotorPanel } from './motor.ts';
import { kSpeeds, Player } from './player.ts';
import type { Recording } from './recording.ts';
import { RunBar } from './run_bar.ts';
import { bytesOfBase64, RecordingError } from './scene.ts';
import { readRecording } from './source.ts';
import { View } from './view.ts';

const kDrawAfter = 1 / 15; // time between two drawings of growing curves [s]

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

interface Source {
  name: string;
  recording: Recording;
}

async function readSources(): Promise<Source[]> {
  const sources: Source[] = [];
  for (const index of [0, 1]) {
    const script = document.getElementById(`recording-${index}`);
    if (!script) break;
    const name = script.dataset['name'] || (index === 0 ? 'The recording' : 'The second recording');
    let bytes: Uint8Array;
    try {
      bytes = bytesOfBase64(script.textContent ?? '');
    } catch {
      throw new RecordingError(`${name} is damaged: it is not base64.`);
    }
    sources.push({ name, recording: await readRecording(bytes, name) });
    script.remove(); // its text is not needed any more
  }
  if (sources.length === 0) throw new RecordingError("There is no recording in this page. 'servosim view FILE.svt' makes a page with one.");
  return sources;
}

/** The objects by which a page watches a run. */
interface Live {
  source: LiveSource;
  control: Control;
}

function showFailure(error: unknown): void {
  const known = error instanceof RecordingError;
  byId('failure-text').textContent = known ? error.message : `The page cannot show the recording: ${String(error)}`;
  byId('failure').hidden = false;
  byId('app').hidden = byId('waiting').hidden = true;
  if (!known) console.error(error);
}

class Page {
  private readonly recordings: Recording[];
  private readonly first: Recording;
  readonly player: Player;
  readonly view: View | null;
  readonly curves: Curves;
  private readonly insets: Insets;
  private readonly list: JointList;
  private readonly values: Values;
  private shownScene: unknown = null;
  private linkTimer = 0;
  private cameraMoved = false;
  private lastTick = 0;
  private themeChosen: 'dark' | 'light' | null = null;
  private runBar: RunBar | null = null;
  private motor: MotorPanel | null = null;
  private listed = ''; // the listed parts that are not drawn
  private isNew = false; // something has arrived from the run
  private lastCurves = 0; // when the curves were drawn [s]
  private lastLook = 0; // when slowly changing values were updated [s]

  constructor(private readonly sources: Source[], readonly live: Live | null = null) {
    this.recordings = sources.map((source) => source.recording);
    this.first = this.recordings[0]!;
    const link = readLink(location.hash);
    document.documentElement.classList.toggle('still', link.still);
    this.setTheme(link.theme);
    this.player = new Player(Math.min(...this.recordings.map((each) => each.start)), Math.max(...this.recordings.map((each) => each.duration)));
    this.player.growing = live !== null;
    this.insets = new Insets(byId('insets'), this.first);
    this.describe();
    this.view = this.makeView();
    const second = this.recordings[1];
    this.curves = new Curves(byId('curves'), this.recordings, this.player);
    this.list = new JointList(byId('joints'), byId('filter'), byId('joint-count'), second ? differences(this.first, second) : null);
    this.values = new Values(byId('values'));
    this.list.onToggle = (item) => this.toggle(item);
    this.list.onTime = (time) => this.player.seek(time);
    this.values.onRemove = (item) => this.toggle(item);
    if (live) this.connectRun(live);
    this.connectControls();
    this.connectScene();
    this.connectKeys();
    this.player.onChange(() => this.onTime());
    this.applyTheme();
    this.apply(link, true);
    if (live) this.player.follow();
    window.addEventListener('hashchange', () => this.apply(readLink(location.hash), false));
    requestAnimationFrame((now) => this.tick(now));
  }

  private makeView(): View | null {
    try {
      return new View(byId<HTMLCanvasElement>('canvas'), this.first, this.recordings[1] ?? null);
    } catch (error) {
      this.notice(`This browser shows no 3D scene: ${error instanceof Error ? error.message : String(error)}`);
      byId('scene').classList.add('none');
      return null;
    }
  }

  // ---- The recordings.

  private describe(): void {
    const { scene } = this.first;
    const title = scene.title || scene.world || this.sources[0]!.name;
    byId('title').textContent = title;
    document.title = `${title} – servosim`;
    const { frames, forgotten } = this.first;
    const about = [scene.title && scene.world ? scene.world : '',
      ...(this.live ? [`${frames.length} frames${forgotten > 0 ? ', those before are not kept' : ''}`]
        : [`${this.first.duration.toFixed(2)} s`, `${frames.length} frames`, this.ending(this.first)])];
    byId('about').textContent = about.filter(Boolean).join('  ·  ');
    byId('about').title = this.first.end?.stateHash ? `State hash ${this.first.end.stateHash}` : '';
    for (const { name, recording } of this.sources) {
      if (recording.problem) this.notice(`${name}: ${recording.problem.replace(/\.?$/, '.')} The first ${recording.frames.length} frames are shown.`);
    }
    const second = this.recordings[1];
    if (second && second.scene.world !== scene.world) {
      this.notice(`The recordings are of two worlds, '${scene.world}' and '${second.scene.world}'. Joints of equal names are compared.`);
    }
    if (second) {
      byId('legend').hidden = false;
      byId('lines-second').hidden = false;
      byId('lines-name').textContent = this.sources[1]!.name;
      this.sources.forEach(({ name, recording }, i) => {
        byId(`legend-${i}`).textContent = name;
        byId(`legend-${i}`).title = this.ending(recording);
      });
    }
    byId('pictures-switch').hidden = !this.insets.exist;
    const missing = [...new Set(this.recordings.flatMap((recording) => recording.scenes.flatMap((each) => each.missing)))];
    byId('missing').hidden = missing.length === 0;
    if (missing.length > 0 && missing.join('\n') !== this.listed) {
      this.listed = missing.join('\n');
      byId('missing-title').textContent = missing.length === 1 ? '1 part is not drawn' : `${missing.length} parts are not drawn`;
      byId('missing-list').replaceChildren(...missing.map((text) => {
        const line = document.createElement('li');
        line.textContent = text;
        return line;
      }));
    }
  }

  private ending(recording: Recording): string {
    if (recording.end) return recording.end.reason ? `ended: ${recording.end.reason}` : 'ended';
    return 'the run did not end by itself';
  }

  private notice(text: string): void {
    const line = document.createElement('p');
    line.textContent = text;
    byId('notices').append(line);
  }

  // ---- Time.

  private tick(now: number): void {
    const seconds = Math.min(0.25, (now - (this.lastTick || now)) / 1000); // a hidden page does not jump
    this.lastTick = now;
    if (this.live) this.takeNew(this.live, now / 1000);
    if (this.player.playing) this.view?.pace(seconds);
    this.player.advance(seconds);
    this.view?.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  // ---- A running simulation.

  private connectRun(live: Live): void {
    document.documentElement.classList.add('live');
    byId('to-end').hidden = true;
    const bar = (this.runBar = new RunBar(live.source, (command) => void live.control.send(command)));
    this.motor = new MotorPanel((joint, targets) => void live.control.motor(joint, targets));
    live.control.onError = (text) => bar.message(text);
    live.source.onChange = () => (this.isNew = true);
    this.isNew = true;
    byId('live').addEventListener('click', () => this.toEnd());
  }

  // Frames arrive at any time. The page shows them when it is drawn.
  private takeNew({ source }: Live, now: number): void {
    this.runBar!.update(kClock.now());
    if (this.player.growing && this.isNew && this.first.frames.length > 0) {
      this.isNew = false;
      this.player.growTo(this.first.duration, this.first.start);
    }
    if (now - this.lastCurves > kDrawAfter) {
      this.lastCurves = now;
      this.curves.grow();
    }
    if (now - this.lastLook > 1) {
      this.lastLook = now;
      this.describe();
      if (this.view?.scaleForces()) this.describeScale();
      if (this.view && this.view.followed < 0 && !this.cameraMoved && this.view.hasLeft) this.follow(this.view.scene.bodies.find((body) => body.moves)!.name);
    }
    if (this.view) this.motor!.update(this.view.moment, this.runBar!.controls);
    if (this.player.growing && (source.state === 'ended' || source.state === 'refused')) {
      this.player.finish();
      this.curves.grow();
      document.documentElement.classList.remove('live');
      byId('to-end').hidden = false;
    }
  }

  private toEnd(): void {
    if (this.player.growing) this.player.follow();
    else this.player.seek(this.player.end);
  }

  private onTime(): void {
    const { player } = this;
    this.view?.show(player.time);
    this.insets.moveTo(player.time);
    this.curves.showTime();
    const frame = this.view?.moment.frame ?? this.first.frames[this.first.indexAt(player.time)]!;
    if (frame.scene !== this.shownScene) {
      this.shownScene = frame.scene;
      this.list.show(frame.scene);
      this.list.mark(this.curves);
      this.fillFollow();
      if (this.live && this.curves.items.length > 0) this.enterScene();
    }
    if (this.view) this.values.update(this.view.moment);
    const moving = player.playing || player.following;
    const digits = 3;
    byId('now').textContent = player.time.toFixed(digits);
    byId('end').textContent = player.end.toFixed(digits);
    // After a reset the time of the world begins at 0 again.
    byId('now').title = this.live && frame.worldTime !== frame.time ? `Time of the world: ${frame.worldTime.toFixed(digits)} s` : '';
    const scrub = byId<HTMLInputElement>('scrub');
    const share = player.end > player.start ? (player.time - player.start) / (player.end - player.start) : 0;
    scrub.value = String(share);
    scrub.style.setProperty('--share', `${100 * share}%`);
    scrub.setAttribute('aria-valuetext', `${player.time.toFixed(digits)} s`);
    document.documentElement.classList.toggle('playing', moving);
    document.documentElement.classList.toggle('following', player.following);
    byId('play').setAttribute('aria-label', moving ? 'Pause' : 'Play');
    byId<HTMLSelectElement>('speed').value = String(player.speed);
    byId<HTMLSelectElement>('speed').disabled = player.following;
    if (this.live) this.describePlay(moving);
    if (!moving) this.writeLinkSoon();
  }

  private describePlay(moving: boolean): void {
    const key = this.runBar?.controls ? 'p' : 'space';
    byId('play').title = !this.player.growing ? 'Play, pause (space)' : moving ? `Stops this page, not the run (${key})` : `Plays from here (${key})`;
  }

  // The bodies and joints of a run have changed: those that were chosen are chosen again, by their names.
  private enterScene(): void {
    this.describe();
    this.describeScale();
    this.follow(byId<HTMLSelectElement>('follow').value || null);
    this.choose(this.curves.items);
  }

  private stepFrame(step: 1 | -1): void {
    const { frames } = this.first;
    const at = this.first.indexAt(this.player.time);
    const inside = this.player.time > frames[at]!.time + 1e-9;
    const next = step > 0 ? at + 1 : inside ? at : at - 1;
    this.player.pause();
    this.player.seek(frames[Math.min(frames.length - 1, Math.max(0, next))]!.time);
  }

  // ---- Choice.

  private choose(items: Item[], body = -1): void {
    const kept = items.slice(-kMostItems);
    this.curves.show(kept);
    if (this.view) this.motor?.choose(kept.filter((item) => item.kind === 'joint').map((item) => item.name), this.view.moment);
    this.list.mark(this.curves);
    this.values.show(this.curves);
    byId('nothing').hidden = kept.length > 0;
    byId('lines').hidden = kept.every((item) => item.kind === 'body');
    if (this.view) {
      this.values.update(this.view.moment);
      const joints = kept.filter((item) => item.kind === 'joint').map((item) => item.name);
      const last = kept[kept.length - 1];
      const { scene } = this.view;
      if (body < 0 && last) {
        body = last.kind === 'body' ? scene.bodies.findIndex((each) => each.name === last.name)
          : scene.joints.find((each) => each.name === last.name)?.body ?? -1;
      }
      this.view.choose(new Set(joints), items.length > 0 ? body : -1);
    }
    this.writeLinkSoon();
  }

  private toggle(item: Item): void {
    const { items } = this.curves;
    const without = items.filter((each) => each.kind !== item.kind || each.name !== item.name);
    this.choose(without.length < items.length ? without : [...items, item]);
  }

  /** The joints that move a body; the body itself, if none does. */
  private itemsOf(body: number): Item[] {
    const { scene } = this.view!;
    for (let at = body; at >= 0; at = scene.bodies[at]!.parent) {
      const joints = scene.joints.filter((joint) => joint.body === at);
      if (joints.length > 0) return joints.map((joint) => ({ kind: 'joint', name: joint.name }));
    }
    let root = body;
    while (root >= 0 && !scene.bodies[root]!.moves) root = scene.bodies[root]!.parent;
    return root >= 0 ? [{ kind: 'body', name: scene.bodies[root]!.name }] : [];
  }

  private fillFollow(): void {
    const select = byId<HTMLSelectElement>('follow');
    const before = select.value;
    const none = new Option('Follow nothing', '');
    const scene = this.view?.scene;
    const moving = scene ? scene.bodies.filter((body) => body.moves) : [];
    // Robots come first: bodies that move and are below nothing that moves.
    const roots = moving.filter((body) => body.parent < 0 || !scene!.bodies[body.parent]!.moves);
    const ordered = [...roots, ...moving.filter((body) => !roots.includes(body))].slice(0, 500);
    select.replaceChildren(none, ...ordered.map((body) => new Option(body.name, body.name)));
    select.value = ordered.some((body) => body.name === before) ? before : '';
    select.hidden = ordered.length === 0;
  }

  private follow(name: string | null): void {
    if (!this.view) return;
    const body = name ? this.view.scene.bodies.findIndex((each) => each.name === name) : -1;
    const select = byId<HTMLSelectElement>('follow');
    if (body >= 0 && ![...select.options].some((option) => option.value === name)) select.append(new Option(name!, name!));
    select.value = body >= 0 ? name! : '';
    this.view.follow(body);
    this.writeLinkSoon();
  }

  // ---- Controls.

  private connectControls(): void {
    byId('play').addEventListener('click', () => this.player.toggle());
    byId('to-start').addEventListener('click', () => this.player.seek(this.player.start));
    byId('to-end').addEventListener('click', () => this.toEnd());
    const scrub = byId<HTMLInputElement>('scrub');
    scrub.addEventListener('input', () => {
      this.player.pause();
      this.player.seek(this.player.start + Number(scrub.value) * (this.player.end - this.player.start));
    });
    const speed = byId<HTMLSelectElement>('speed');
    speed.replaceChildren(...kSpeeds.map((value) => new Option(`${value}×`, String(value))));
    speed.addEventListener('change', () => this.player.setSpeed(Number(speed.value)));
    const follow = byId<HTMLSelectElement>('follow');
    follow.addEventListener('change', () => this.follow(follow.value || null));
    byId('theme').addEventListener('click', () => {
      const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
      this.setTheme(dark ? 'light' : 'dark');
      this.applyTheme();
      this.writeLinkSoon();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.applyTheme());
    const help = byId<HTMLDialogElement>('help');
    byId('help-button').addEventListener('click', () => help.showModal());
    byId('help-close').addEventListener('click', () => help.close());
    help.addEventListener('click', (event) => {
      if (event.target === help) help.close();
    });
    byId('clear').addEventListener('click', () => this.choose([]));
  }

  private setTheme(theme: 'dark' | 'light' | null): void {
    this.themeChosen = theme;
    if (theme) document.documentElement.dataset['theme'] = theme;
    else delete document.documentElement.dataset['theme'];
  }

  private applyTheme(): void {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    this.view?.setColors({ background: color('--sky'), grid: color('--grid'), accent: color('--accent') });
    this.choose(this.curves.items, this.view?.selected ?? -1);
  }

  private connectScene(): void {
    const { view } = this;
    if (!view) return;
    for (const box of document.querySelectorAll<HTMLInputElement>('#show input')) {
      box.addEventListener('change', () => this.setShown(box.value, box.checked));
    }
    byId('background-switch').hidden = view.scene.background === null;
    this.describeScale();
    for (const button of document.querySelectorAll<HTMLButtonElement>('#views button')) {
      button.addEventListener('click', () => {
        view.look(button.value);
        this.cameraMoved = button.value !== 'start';
        this.writeLinkSoon();
      });
    }
    view.onCamera = () => {
      this.cameraMoved = true;
      this.writeLinkSoon();
    };
    this.connectPicking(view);
  }

  private describeScale(): void {
    const { view } = this;
    if (!view) return;
    const scale = byId('scale');
    const cell = view.cell >= 1 ? `${view.cell} m` : view.cell >= 0.01 ? `${Number((100 * view.cell).toPrecision(3))} cm` : `${Number((1000 * view.cell).toPrecision(3))} mm`;
    scale.textContent = `Grid ${cell}`;
    byId('force-scale').textContent = view.forceOfCell > 0 ? `${cell} = ${Number(view.forceOfCell.toPrecision(2))} N` : '';
  }

  // A click that is not a drag chooses the body below it; with Shift it is added to the choice.
  private connectPicking(view: View): void {
    const canvas = byId<HTMLCanvasElement>('canvas');
    const label = byId('label');
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      down = event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
      label.hidden = true;
    });
    canvas.addEventListener('pointerup', (event) => {
      if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4) return;
      down = null;
      const body = view.pick(event.offsetX, event.offsetY);
      const items = body >= 0 ? this.itemsOf(body) : [];
      if (items.length === 0) return;
      const before = event.shiftKey ? this.curves.items.filter((item) => !items.some((each) => each.kind === item.kind && each.name === item.name)) : [];
      this.choose([...before, ...items], body);
      this.list.reveal(items[0]!.name);
    });
    let waiting = false;
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons !== 0 || waiting || this.player.playing) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        const body = view.pick(event.offsetX, event.offsetY);
        label.hidden = body < 0;
        if (body < 0) return;
        label.textContent = view.scene.bodies[body]!.name || '(no name)';
        label.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 14}px)`;
      });
    });
    canvas.addEventListener('pointerleave', () => (label.hidden = true));
  }

  private setShown(what: string, on: boolean): void {
    const { view } = this;
    if (what === 'pictures') { // they are there without WebGL too
      this.insets.show(on);
      this.insets.moveTo(this.player.time);
    } else if (!view) return;
    else if (on) view.shown.add(what as 'grid');
    else view.shown.delete(what as 'grid');
    for (const box of document.querySelectorAll<HTMLInputElement>('#show input')) if (box.value === what) box.checked = on;
    view?.refresh();
    this.writeLinkSoon();
  }

  private connectKeys(): void {
    const actions: Record<string, (shift: boolean) => void> = {
      ' ': () => (this.runBar?.controls ? this.runBar.toggle() : this.player.toggle()),
      p: () => this.player.toggle(),
      s: () => this.runBar?.step(),
      ArrowLeft: (shift) => (shift ? this.player.seek(this.player.time - 1) : this.stepFrame(-1)),
      ArrowRight: (shift) => (shift ? this.player.seek(this.player.time + 1) : this.stepFrame(1)),
      Home: () => this.player.seek(this.player.start),
      End: () => this.toEnd(),
      '+': () => this.player.changeSpeed(1),
      '=': () => this.player.changeSpeed(1),
      '-': () => this.player.changeSpeed(-1),
      f: () => this.toggleFollow(),
      i: () => this.setShown('pictures', !this.insets.areShown),
      r: () => {
        this.view?.look('start');
        this.cameraMoved = false;
        this.writeLinkSoon();
      },
      '/': () => byId('filter').focus(),
      Escape: () => this.choose([]),
      '?': () => byId<HTMLDialogElement>('help').showModal(),
    };
    ['axes', 'limits', 'contacts', 'masses', 'frames', 'bounding'].forEach((what, i) => {
      actions[String(i + 1)] = () => this.setShown(what, !this.view?.shown.has(what as 'grid'));
    });
    document.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      const typing = target instanceof HTMLInputElement && (target.type === 'search' || target.type === 'number');
      if (event.key === 'Escape' && typing) target.blur();
      if (typing || event.ctrlKey || event.metaKey || event.altKey || byId<HTMLDialogElement>('help').open) return;
      const own = target instanceof HTMLSelectElement || target.id === 'motor-slider';
      if (own && /^(Arrow|Home|End)/.test(event.key)) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault(); // also, the space bar does not press a focused button
      action(event.shiftKey);
    });
    document.addEventListener('keyup', (event) => {
      if (event.key === ' ' && event.target instanceof HTMLButtonElement) event.preventDefault();
    });
  }

  private toggleFollow(): void {
    const { view } = this;
    if (!view) return;
    if (view.followed >= 0) this.follow(null);
    else {
      const body = view.selected >= 0 ? view.selected : view.scene.bodies.findIndex((each) => each.moves);
      if (body >= 0) this.follow(view.scene.bodies[body]!.name);
    }
  }

  // ---- The link to a moment.

  private apply(link: Link, initial: boolean): void {
    const { scene } = this.first.frames[0]!;
    if (link.show) {
      for (const what of [...kMarks, 'bounding', 'grid', 'background', 'pictures']) this.setShown(what, link.show.includes(what));
    }
    if (link.time !== null || initial) this.player.seek(link.time ?? this.player.start);
    if (link.follow || !initial) this.follow(link.follow);
    else if (this.view?.travels) {
      this.follow(scene.bodies.find((body) => body.moves)?.name ?? null);
      this.view.look('start'); // the link's camera looks at the body, wherever it is now
    }
    if (link.camera) {
      this.view?.look(link.camera);
      this.cameraMoved = link.camera !== 'start';
    }
    const known = new Set(this.first.scenes.flatMap((each) => each.joints.map((joint) => joint.name)));
    const items: Item[] = [
      ...link.joints.filter((name) => known.has(name)).map((name): Item => ({ kind: 'joint', name })),
      ...link.bodies.map((name): Item => ({ kind: 'body', name })),
    ];
    const unknown = link.joints.find((name) => !known.has(name));
    if (unknown && initial) this.notice(`The link names a joint '${unknown}' that the recording does not have.`);
    if (items.length > 0) this.choose(items);
    else if (initial) {
      // The first joints of one unit are shown at the beginning.
      const unit = scene.joints[0]?.unit;
      const first = scene.joints.filter((joint) => joint.unit === unit).slice(0, 3).map((joint): Item => ({ kind: 'joint', name: joint.name }));
      const body = scene.bodies.find((each) => each.moves);
      this.choose(first.length > 0 || !body ? first : [{ kind: 'body', name: body.name }]);
      this.view?.choose(new Set(), -1);
    }
    this.view?.draw();
  }

  private writeLinkSoon(): void {
    window.clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => this.writeLink(), 200);
  }

  private writeLink(): void {
    const { view } = this;
    const usual = this.insets.exist ? ['grid', 'pictures'] : ['grid'];
    const pictures = this.insets.exist && this.insets.areShown ? ['pictures'] : [];
    const shown = [...(view?.shown ?? ['grid']), ...pictures].sort();
    const link: Partial<Link> = {
      time: this.player.following ? null : this.player.time,
      joints: this.curves.items.filter((item) => item.kind === 'joint').map((item) => item.name),
      bodies: this.curves.items.filter((item) => item.kind === 'body').map((item) => item.name),
      follow: view && view.followed >= 0 ? view.scene.bodies[view.followed]!.name : null,
      camera: view && this.cameraMoved ? view.place : null,
      show: shown.join() === usual.join() ? null : shown,
      theme: this.themeChosen,
      still: document.documentElement.classList.contains('still'),
    };
    if (location.protocol !== 'about:') {  // a page inside another one, as in a notebook, has this
      history.replaceState(null, '', `#${writeLink(link)}`);
    }
  }
}

/** Connects to the run, and waits for its first frame. */
async function readLive(): Promise<Live> {
  const token = new URLSearchParams(location.search).get('token') ?? '';
  const fetch = (address: string, options?: RequestInit) => window.fetch(address, options);
  const source = new LiveSource(token, fetch);
  byId('app').hidden = true;
  byId('failure-title').textContent = 'The run cannot be shown';
  await new Promise<void>((resolve, reject) => {
    source.onChange = () => {
      byId('waiting').hidden = source.state === 'open' && source.recording.frames.length > 0;
      byId('waiting-text').textContent = source.state === 'lost' ? `${source.reason} It is tried again and again.` : source.problem;
      if (source.recording.frames.length > 0) resolve();
      else if (source.state === 'refused') reject(new RecordingError(source.reason));
      else if (source.state === 'ended') reject(new RecordingError('The run has ended before its first frame.'));
    };
    byId('waiting').hidden = false;
    void source.connect();
  });
  byId('waiting').hidden = true;
  byId('app').hidden = false;
  return { source, control: new Control(token, fetch) };
}

async function makePage(): Promise<Page> {
  if (!document.querySelector('meta[name="servosim-live"]')) return new Page(await readSources());
  const live = await readLive();
  return new Page([{ name: 'A run', recording: live.source.recording }], live);
}

async function start(): Promise<void> {
  try {
    const page = await makePage();
    // Programs that drive the page use this.
    Object.assign(window, { replay: page });
    document.documentElement.dataset['state'] = 'ready';
  } catch (error) {
    showFailure(error);
    document.documentElement.dataset['state'] = 'failed';
  }
}

void start();
