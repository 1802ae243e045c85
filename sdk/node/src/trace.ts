import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { wall } from "./natives.ts";

/** Parent is what a traceparent header says. */
export interface Parent {
  trace: string;
  span: string;
  sampled: boolean;
  /** Who began the trace says that its id is random. */
  random?: boolean;
}

const form = /^[ \t]*([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;

/** parseTraceparent reads a W3C traceparent, of this version or a later one; undefined when it is none. */
export function parseTraceparent(header: unknown): Parent | undefined {
  if (typeof header !== "string" || header.length > 512) return undefined;
  const [, version, trace = "", span = "", flags = "", tail] = form.exec(header.trimEnd()) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && tail !== undefined)) return undefined;
  if (/^0+$/.test(trace) || /^0+$/.test(span)) return undefined;
  const bits = parseInt(flags, 16);
  return { trace, span, sampled: (bits & 1) === 1, random: (bits & 2) === 2 };
}

/** traceparent writes the header for a request that a span causes. */
export const traceparent = (p: Parent): string =>
  `00-${p.trace}-${p.span}-0${(p.sampled ? 1 : 0) + (p.random ? 2 : 0)}`;

/** How many members a tracestate may have, how much of it is passed on, and which members go first. */
const MEMBERS = 32;
const STATE = 512;
const LONG_MEMBER = 128;

const member = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * parseTracestate returns what is passed on of a tracestate, its headers joined by commas: "" when a member is none, or
 * they are too many. Of one that is too long whole members are left out, long ones first: half a member would be another
 * one to who wrote it.
 */
export function parseTracestate(header: unknown): string {
  if (typeof header !== "string" || header === "") return "";
  const members: string[] = [];
  for (const part of header.split(",", 4096)) {
    const text = part.replace(/^[ \t]+|[ \t]+$/g, "");
    if (text === "") continue;
    if (members.length === MEMBERS || !member.test(text)) return "";
    members.push(text);
  }
  let length = members.join(",").length;
  for (const longer of [LONG_MEMBER, 0]) {
    for (let i = members.length - 1; i >= 0; i--) {
      const size = members[i]?.length ?? 0;
      if (length <= STATE || size <= longer) continue;
      members.splice(i, 1);
      length -= size + 1;
    }
  }
  return members.join(",");
}

// Ids are cut from one pool: asking the system for each would cost more than all else.
let pool = "";
let at = 0;

function random(digits: number): string {
  for (;;) {
    if (at + digits > pool.length) {
      pool = randomBytes(2048).toString("hex");
      at = 0;
    }
    const id = pool.slice(at, (at += digits));
    if (!/^0+$/.test(id)) return id;
  }
}

export const newTrace = (): string => random(32);
export const newSpan = (): string => random(16);

/** SESSION is the header by which a developer's own requests are told from others in production. */
export const SESSION = "gasoline-session";
const SESSION_SECONDS = 3600;

/**
 * sessionHeader returns a value of the header gasoline-session: "1.<end>.<mac>", where end is the second at which it
 * ends, an hour from now, and mac an HMAC-SHA256 over it with the token. All SDKs have the same.
 */
export function sessionHeader(token: string, now = wall()): string {
  const ends = String(Math.floor(now / 1000) + SESSION_SECONDS);
  return `1.${ends}.${signature(token, ends)}`;
}

/** validSession reports whether a header was made with the token and its hour is not over. now is epoch ms. */
export function validSession(header: unknown, token: string, now = wall()): boolean {
  if (typeof header !== "string" || token === "") return false;
  const [, ends = "", mac = ""] = /^1\.(\d{1,12})\.([0-9a-f]{64})$/.exec(header) ?? [];
  if (ends === "") return false;
  const left = Number(ends) - Math.floor(now / 1000);
  if (left < 0 || left > SESSION_SECONDS + 60) return false;
  return timingSafeEqual(encoder.encode(mac), encoder.encode(signature(token, ends)));
}

const encoder = new TextEncoder();

const signature = (token: string, ends: string): string =>
  createHmac("sha256", token).update(`gasoline-session 1\n${ends}`).digest("hex");
