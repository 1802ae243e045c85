import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildIsolated } from "./core.mjs";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "gasoline-core-"));
});
afterEach(() => rm(root, { recursive: true }));

/** Builds two scripts of one world that share a module; gives the scripts and the name of the global. */
async function build(minify: boolean, shared = "'one'") {
  const part = (name: string) => `import { kept, mark } from "./shared.js"; kept.push("${name}" + mark());`;
  await writeFile(
    join(root, "shared.js"),
    `export const kept = []; globalThis.kept = kept; const word = ${shared}; export const mark = () => word + location;`,
  );
  await writeFile(join(root, "content.js"), part("content"));
  await writeFile(join(root, "agent.js"), part("agent"));
  const { key, metafile } = await buildIsolated({
    absWorkingDir: root,
    entryPoints: ["content", "agent"].map((name) => ({ in: `${name}.js`, out: name })),
    outdir: join(root, "dist"),
    bundle: true,
    minify,
  });
  const read = async (name: string) => readFile(join(root, "dist", `${name}.js`), "utf8");
  return { key, metafile, core: await read("core"), content: await read("content"), agent: await read("agent") };
}

for (const minify of [true, false]) {
  test(`the scripts of a world share one core, loaded once, minified: ${minify}`, async () => {
    const { core, content, agent, key, metafile } = await build(minify);
    const world = createContext({ location: "!" });
    for (const script of [core, content, core, agent]) runInContext(script, world);
    expect(runInContext("kept.join()", world)).toBe("contentone!,agentone!");
    expect(new Set(Object.keys(world))).toEqual(new Set(["location", "kept", key]));
    const sizes = Object.values(metafile.outputs).map(({ bytes }) => bytes);
    expect(new Set(sizes)).toEqual(new Set([agent, content, core].map(({ length }) => length)));
  });
}

test("a core of another build is never used", async () => {
  const old = await build(true);
  const current = await build(true, "'two'");
  expect(current.key).not.toBe(old.key);
  const world = createContext({ location: "!" });
  for (const script of [old.core, old.content]) runInContext(script, world);
  expect(() => runInContext(current.agent, world)).toThrow(current.key);
  for (const script of [current.core, current.agent]) runInContext(script, world);
  expect(runInContext("kept.join()", world)).toBe("agenttwo!");
});
