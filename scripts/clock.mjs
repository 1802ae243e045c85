// A clock for the tests that begins where it is told to: for programs of Go by a copy of the standard library's time
// package (tools/clock), on Linux for all others by a library that is preloaded (scripts/clock.c, which needs cc).
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./results.mjs";

const FOLDER = join(ROOT, ".cache", "clock");

/** The library to preload; undefined where there is none. */
function preload() {
  if (process.platform !== "linux") return undefined;
  const library = join(FOLDER, "clock.so");
  execFileSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, join(ROOT, "scripts/clock.c")], { stdio: "inherit" });
  return library;
}

/**
 * The environment of a part whose clock begins at an instant.
 * @param {string | undefined} at RFC 3339; undefined for the machine's own clock.
 * @param {boolean} each Each test program of Go begins there, and not the part as a whole.
 * @returns {Record<string, string>}
 */
export function clock(at, each) {
  if (at === undefined) return {};
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) throw new Error(`${at} is no instant, such as 2026-12-31T23:59:58Z`);
  const go = (...args) =>
    execFileSync("go", args, { cwd: join(ROOT, "tools"), encoding: "utf8", env: { ...process.env, GOWORK: "off" } });
  const overlay = `-overlay=${go("run", "./clock", FOLDER).trim()}`;
  const program = join(FOLDER, process.platform === "win32" ? "gasoline.exe" : "gasoline");
  execFileSync("go", ["build", overlay, "-o", program, "./cmd/gasoline"], { cwd: ROOT, stdio: "inherit" });
  const library = preload();
  const seconds = Math.round((instant - Date.now()) / 1000);
  return {
    GOFLAGS: `${process.env.GOFLAGS ?? ""} '${overlay}'`.trim(),
    GASOLINE_CLOCK: each ? at : `${seconds < 0 ? "" : "+"}${seconds}s`,
    GASOLINE_PROGRAM: program,
    ...(library && { LD_PRELOAD: library }),
  };
}
