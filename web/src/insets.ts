// SPDX-License-Identifier: Apache-2.0
// What Cameras and RangeFinders have seen, as small pictures over the scene.
import type { Picture, Recording } from './recording.ts';

const kMostSensors = 16;
const kSide = 200; // longer side of an inset [pixels]

/** The picture of one sensor, with its name, which folds it. */
class Inset {
  readonly element = document.createElement('figure');
  private readonly canvas = document.createElement('canvas');
  private readonly caption = document.createElement('button');
  private readonly depths = document.createElement('small');
  private shown: Picture | null = null;

  constructor(readonly name: string) {
    this.caption.type = 'button';
    this.caption.title = 'Folds and unfolds the picture';
    const label = document.createElement('span');
    label.textContent = name;
    this.caption.append(label, this.depths);
    this.caption.setAttribute('aria-expanded', 'true');
    this.caption.addEventListener('click', () => {
      this.caption.setAttribute('aria-expanded', String(!this.element.classList.toggle('folded')));
    });
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `What ${name} sees`);
    this.element.append(this.caption, this.canvas);
  }

  show(picture: Picture | null): void {
    if (picture === this.shown) return;
    this.shown = picture;
    this.element.classList.toggle('none', picture === null);
    this.depths.textContent = picture?.depths ? rangeOf(picture.depths) : '';
    if (!picture) return;
    // It uses an ImageBitmap, since a data: address would count as a request.
    createImageBitmap(new Blob([picture.file as Uint8Array<ArrayBuffer>])).then((bitmap) => {
      if (this.shown !== picture) {
        bitmap.close(); // another one has been asked for since
        return;
      }
      const { canvas } = this;
      if (bitmap.width !== picture.width || bitmap.height !== picture.height) {
        bitmap.close(); // the file is another one than its head says, and may be huge
        this.element.classList.add('none');
        return;
      }
      const scale = kSide / Math.max(picture.columns, picture.rows);
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
      canvas.style.width = `${Math.max(1, Math.round(picture.columns * scale))}px`;
      canvas.style.height = `${Math.max(1, Math.round(picture.rows * scale))}px`;
      canvas.classList.toggle('coarse', scale > 1.5);
      canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
      bitmap.close();
      canvas.dataset['time'] = String(picture.time);
    }, () => {
      if (this.shown === picture) this.element.classList.add('none'); // the file cannot be decoded
    });
  }
}

const short = (depth: number): string => String(Number(depth.toPrecision(3)));
const rangeOf = ([nearest, farthest]: [number, number]): string =>
  !Number.isFinite(nearest) ? 'nothing in range' : nearest === farthest ? `${short(nearest)} m` : `${short(nearest)} – ${short(farthest)} m`;

export class Insets {
  private readonly insets = new Map<string, Inset>();
  private isShown = true;

  get areShown(): boolean {
    return this.isShown;
  }

  constructor(private readonly element: HTMLElement, private readonly recording: Recording) {}

  /** Whether there is anything to show. */
  get exist(): boolean {
    return this.recording.pictures.size > 0;
  }

  show(on: boolean): void {
    this.isShown = on;
    this.element.hidden = !on;
  }

  moveTo(time: number): void {
    if (!this.isShown) return;
    for (const name of this.recording.pictures.keys()) {
      let inset = this.insets.get(name);
      if (!inset) {
        if (this.insets.size === kMostSensors) continue;
        inset = new Inset(name);
        this.insets.set(name, inset);
        this.element.append(inset.element);
      }
      inset.show(this.recording.pictureAt(name, time));
    }
  }
}
