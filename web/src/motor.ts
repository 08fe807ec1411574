// SPDX-License-Identifier: Apache-2.0
// The target and the limits of a chosen motor of a running simulation.
import type { Targets } from './control.ts';
import type { Moment } from './pose.ts';
import type { Joint } from './scene.ts';

const kAround = { rad: Math.PI, m: 1 }; // reach of the slider for a joint without limits
const kVelocity = 10; // reach of the slider for a velocity without a limit [rad/s or m/s]

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;
const short = (value: number): string => String(Number(value.toFixed(4)));

/** Whether a joint has a motor, as far as a recording tells. */
export function isMotor(joint: Joint, target: number, targetVelocity: number): boolean {
  return joint.maxEffort !== null || joint.maxVelocity !== null || joint.min !== null || joint.max !== null || Number.isFinite(target) || Number.isFinite(targetVelocity);
}

/** The range of the slider. */
export function reachOf(joint: Joint, byVelocity: boolean): [number, number] {
  if (byVelocity) {
    const most = joint.maxVelocity !== null && joint.maxVelocity > 0 && joint.maxVelocity <= 1e3 ? joint.maxVelocity : kVelocity;
    return [-most, most];
  }
  const around = joint.unit === 'm' ? kAround.m : kAround.rad;
  const min = joint.min ?? (joint.max !== null ? joint.max - 2 * around : -around);
  return [min, joint.max ?? (joint.min !== null ? joint.min + 2 * around : around)];
}

export class MotorPanel {
  private readonly select = byId<HTMLSelectElement>('motor-joint');
  private readonly turn = byId<HTMLInputElement>('motor-turn');
  private readonly slider = byId<HTMLInputElement>('motor-slider');
  private readonly target = byId<HTMLInputElement>('motor-target');
  private joints: Joint[] = [];
  // When the user has moved the slider [ms]; it stays there until the run has answered.
  private touched = 0;

  constructor(private readonly set: (joint: string, targets: Targets) => void) {
    this.select.addEventListener('change', () => this.enter(null));
    this.turn.addEventListener('change', () => this.adapt());
    this.slider.addEventListener('input', () => {
      this.target.value = short(Number(this.slider.value));
      this.send(Number(this.slider.value));
    });
    this.target.addEventListener('change', () => {
      if (this.target.value !== '' && this.target.reportValidity()) this.send(Number(this.target.value));
    });
    for (const limit of ['velocity', 'effort'] as const) {
      const field = byId<HTMLInputElement>(`motor-${limit}`);
      field.addEventListener('change', () => {
        if (field.value !== '' && field.reportValidity()) this.set(this.select.value, { [limit]: Number(field.value) });
      });
    }
  }

  private get joint(): Joint | undefined {
    return this.joints.find((joint) => joint.name === this.select.value);
  }

  private send(value: number): void {
    this.touched = performance.now();
    this.set(this.select.value, this.turn.checked ? { position: null, velocity: value } : { position: value });
  }

  /** Takes the motors among the chosen joints, and shows the last one. */
  choose(names: string[], moment: Moment): void {
    const { scene } = moment.frame;
    const before = this.select.value;
    const known = this.joints.map((joint) => joint.name);
    this.joints = names.flatMap((name) => {
      const index = scene.jointIndices.get(name);
      const joint = index === undefined ? undefined : scene.joints[index];
      return joint && isMotor(joint, moment.frame.joint(index!, 'target'), moment.frame.joint(index!, 'targetVelocity')) ? [joint] : [];
    });
    this.select.replaceChildren(...this.joints.map((joint) => new Option(joint.name || '(no name)', joint.name)));
    const added = this.joints.filter((joint) => !known.includes(joint.name)).pop();
    this.select.value = added?.name ?? (this.joint ? before : '');
    if (!added && this.joints.some((joint) => joint.name === before)) this.select.value = before;
    if (!this.joint && this.joints.length > 0) this.select.value = this.joints[this.joints.length - 1]!.name;
    if (this.select.value !== before || added) this.enter(moment);
  }

  // Shows another motor.
  private enter(moment: Moment | null): void {
    const { joint } = this;
    if (!joint) return;
    const index = moment?.frame.scene.jointIndices.get(joint.name);
    const target = index === undefined ? NaN : moment!.frame.joint(index, 'target');
    this.turn.checked = joint.min === null && joint.max === null && !Number.isFinite(target);
    for (const [id, value] of [['motor-velocity', joint.maxVelocity], ['motor-effort', joint.maxEffort]] as const) {
      byId<HTMLInputElement>(id).value = '';
      byId<HTMLInputElement>(id).placeholder = value === null ? '' : short(value);
    }
    this.touched = 0;
    this.adapt();
  }

  private adapt(): void {
    const { joint } = this;
    if (!joint) return;
    const byVelocity = this.turn.checked;
    const [min, max] = reachOf(joint, byVelocity);
    this.slider.min = String(min);
    this.slider.max = String(max);
    byId('motor-what').textContent = byVelocity ? 'Velocity' : 'Target';
    byId('motor-unit').textContent = byVelocity ? `${joint.unit}/s` : joint.unit;
    byId('motor-velocity-label').hidden = byVelocity; // the velocity is the target
    byId('motor-velocity').title = `On the way to a position [${joint.unit}/s]`;
    byId('motor-effort').title = `What is available [${joint.unit === 'm' ? 'N' : 'N·m'}]`;
  }

  /** Shows the present values of the run. */
  update(moment: Moment, enabled: boolean): void {
    byId('motor').hidden = !enabled || this.joints.length === 0;
    const index = this.joint ? moment.frame.scene.jointIndices.get(this.joint.name) : undefined;
    if (!enabled || index === undefined) return;
    if (performance.now() - this.touched < 1000 || this.slider.matches(':active') || document.activeElement === this.target) return;
    const { frame } = moment;
    const wanted = this.turn.checked ? frame.joint(index, 'targetVelocity') : frame.joint(index, 'target');
    const value = Number.isFinite(wanted) ? wanted : this.turn.checked ? 0 : frame.joint(index, 'position');
    if (!Number.isFinite(value)) return;
    this.slider.value = String(value);
    const text = short(value);
    if (this.target.value !== text) this.target.value = text;
  }
}
