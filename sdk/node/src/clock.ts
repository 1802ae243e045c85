import { mono, wall } from "./natives.ts";

/** How far the wall clock may be from what the monotonic one makes of it, in ms, before it counts as set. */
const TOLERANCE_MS = 20;

let base = wall();
let since = mono();

/** now returns the time as epoch ms with fractions. It follows the wall clock when somebody sets that. */
export function now(): number {
  const at = mono();
  const computed = base + (at - since);
  const real = wall();
  if (Math.abs(real - computed) < TOLERANCE_MS) return computed;
  base = real;
  since = at;
  return real;
}

/** Six digits of a number below a million. */
const six = (n: number): string => String(1e6 + n).slice(1);

let seconds = 0;
let secondsText = "0";

/** nanos writes epoch ms as OTLP's nanoseconds since 1970: decimal digits. Small numbers are written several times faster. */
export function nanos(ms: number): string {
  const whole = Math.floor(ms);
  const first = Math.floor(whole / 1e6);
  if (first !== seconds) {
    seconds = first;
    secondsText = String(first);
  }
  const rest = Math.min(999_999, Math.round((ms - whole) * 1e6));
  return first === 0 ? `${whole}${six(rest)}` : secondsText + six(whole - first * 1e6) + six(rest);
}
