import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PROGRAM } from "../harness.ts";
import { expect, test, until } from "./support/fixtures.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Starts the demo in a process group of its own, as a shell does, with everything that it makes below dir. */
function demo(dir: string): { child: ChildProcess; output: () => string; ended: Promise<number | null> } {
  const program = join(dir, "it's here", "gasoline"); // a path that a shell does not take as it is
  mkdirSync(dirname(program));
  symlinkSync(PROGRAM, program);
  const cwd = join(dir, "work"); // not above the state directory, which would be in its caller's project
  mkdirSync(cwd);
  const loader = pathToFileURL(join(root, "scripts", "ts.mjs")).href;
  const child = spawn(process.execPath, ["--import", loader, join(root, "examples", "demo.ts"), "--keep"], {
    cwd,
    detached: true,
    env: { ...process.env, GASOLINE_PROGRAM: program, TMPDIR: dir, DISPLAY: "", WAYLAND_DISPLAY: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (d) => (output += d));
  child.stderr?.on("data", (d) => (output += d));
  return { child, output: () => output, ended: new Promise((done) => child.once("close", done)) };
}

/** Runs a printed line in a folder, as a person does who pastes it. */
async function pasted(line: string, cwd: string): Promise<{ code: unknown; out: string }> {
  const child = spawn("sh", ["-c", line], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (d) => (out += d));
  return { code: await new Promise((done) => child.once("close", done)), out };
}

/** The processes that were started with a path below dir. */
function processes(dir: string): { pid: number; line: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return { pid: Number(name), line: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") };
      } catch {
        return { pid: 0, line: "" }; // it has ended
      }
    })
    .filter((p) => p.line.includes(dir));
}

/** Ends a process, or a group of them, that may end by itself meanwhile. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

test.describe("Ctrl-C", () => {
  test.skip(process.platform !== "linux", "looks into /proc and sends signals to a process group");
  for (const [when, sign, code] of [
    ["while the demo is kept open", /Ctrl-C ends all of it[^]* observe screenshot --output .*\n/, 0],
    ["while the browser starts", /starting Chromium/, 130],
  ] as const) {
    test(`${when} leaves nothing behind`, async () => {
      const dir = mkdtempSync(join(tmpdir(), "a größer demo-")); // the printed commands name it
      const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-")); // where a person pastes them
      const { child, output, ended } = demo(dir);
      try {
        await until(
          "what it waits for",
          async () => output(),
          (text) => sign.test(text),
        );
        if (code === 0) {
          const command = /^ +(\S.*gasoline\S* --port \d+ --state-dir .*) observe errors$/m.exec(output())?.[1];
          expect(output()).toMatch(/no display/);
          expect(command, output()).toContain(String.raw`it'\''s here/gasoline' --port`);
          expect((await pasted(`${command} observe errors --scope all`, elsewhere)).out).toContain("placeOrder");
          const look = /^ +(\S.* observe screenshot .*)$/m.exec(output())?.[1];
          expect(look, output()).toContain(" --output ");
          expect(await pasted(look!, elsewhere)).toMatchObject({ code: 0 });
          expect(readdirSync(elsewhere)).toEqual([]);
        }
        process.kill(-child.pid!, "SIGINT");
        expect(await ended, output()).toBe(code);
        if (code === 0) expect(output().trimEnd().split("\n").at(-1)).toContain("all of it has ended");
        expect(processes(dir)).toEqual([]);
        expect(readdirSync(dir).filter((name) => name.startsWith("gasoline-"))).toEqual([]);
      } finally {
        if (child.exitCode === null && child.signalCode === null) kill(-child.pid!);
        for (const left of processes(dir)) kill(left.pid);
        for (const made of [dir, elsewhere]) rmSync(made, { recursive: true, force: true, maxRetries: 5 });
      }
    });
  }
});
