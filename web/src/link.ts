// SPDX-License-Identifier: Apache-2.0
// A link to a moment: what comes after # in the address, `t=3.2&joint=arm/shoulder&camera=…`.

export interface Link {
  time: number | null;
  joints: string[];
  bodies: string[];
  follow: string | null;
  /** The position and target of the camera, or the axis from which it looks: `-x`. */
  camera: number[] | string | null;
  /** Whether only the scene is shown, without controls, for pictures. */
  still: boolean;
  theme: 'dark' | 'light' | null;
  /** The marks that are drawn; null: those drawn by default. */
  show: string[] | null;
}

const kViews = ['x', '-x', 'y', '-y', 'z', '-z', 'start'];

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text; // it has a single %
  }
}

/** Parts that are not understood are left out. */
export function readLink(hash: string): Link {
  const link: Link = { time: null, joints: [], bodies: [], follow: null, camera: null, still: false, theme: null, show: null };
  for (const part of hash.replace(/^#/, '').split('&')) {
    const equals = part.indexOf('=');
    const key = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    if (key === 't' && value !== '' && Number.isFinite(Number(value))) link.time = Number(value);
    else if (key === 'joint' && value) link.joints.push(value);
    else if (key === 'body' && value) link.bodies.push(value);
    else if (key === 'follow' && value) link.follow = value;
    else if (key === 'still') link.still = true;
    else if (key === 'theme' && (value === 'dark' || value === 'light')) link.theme = value;
    else if (key === 'show') link.show = value.split(',').filter(Boolean);
    else if (key === 'camera') {
      const numbers = value.split(',').map(Number);
      if (kViews.includes(value)) link.camera = value;
      else if (value && numbers.length === 6 && numbers.every(Number.isFinite)) link.camera = numbers;
    }
  }
  return link;
}

// Names stay readable, since a fragment may contain these characters.
const encode = (text: string): string => encodeURIComponent(text).replace(/%2F/g, '/').replace(/%2C/g, ',').replace(/%3A/g, ':');
const short = (value: number): string => String(Number(value.toFixed(3)));

/** The part after #, without the #. */
export function writeLink(link: Partial<Link>): string {
  const parts: string[] = [];
  if (link.time != null) parts.push(`t=${short(link.time)}`);
  for (const joint of link.joints ?? []) parts.push(`joint=${encode(joint)}`);
  for (const body of link.bodies ?? []) parts.push(`body=${encode(body)}`);
  if (link.follow) parts.push(`follow=${encode(link.follow)}`);
  if (link.camera) {
    parts.push(`camera=${typeof link.camera === 'string' ? link.camera : link.camera.map(short).join(',')}`);
  }
  if (link.show) parts.push(`show=${link.show.map(encode).join(',')}`);
  if (link.theme) parts.push(`theme=${link.theme}`);
  if (link.still) parts.push('still');
  return parts.join('&');
}
