import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noticesOf } from "./notices.mjs";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "gasoline-notices-"));
});
afterEach(() => rm(root, { recursive: true }));

async function install(name: string, files: Record<string, string>): Promise<void> {
  const folder = join(root, "node_modules", name);
  await mkdir(join(folder, "dist"), { recursive: true });
  const about = { name, version: "1.0.0", license: "MIT" };
  for (const [file, text] of Object.entries({
    "package.json": JSON.stringify(about),
    "dist/package.json": `{"type":"module"}`,
    ...files,
  })) {
    await writeFile(join(folder, file), text);
  }
}

const bundleOf = (...paths: string[]) => ({
  inputs: {},
  outputs: {
    "a.js": {
      bytes: 1,
      imports: [],
      exports: [],
      inputs: Object.fromEntries(paths.map((path) => [path, { bytesInOutput: 1 }])),
    },
  },
});

test("every bundled package has its licence in the notices, once, by name", async () => {
  await install("b", { "LICENSE.md": "Licence of b" });
  await install("@scope/a", { "LICENSE-MIT": "Licence of a", NOTICE: "Also this" });
  await install("unused", { LICENSE: "Licence of unused" });
  const first = bundleOf("own.ts", "node_modules/b/dist/b.js", "node_modules/b/dist/more.js");
  const unused = { "node_modules/unused/x.js": { bytesInOutput: 0 } };
  Object.assign(first.outputs["a.js"].inputs, unused);
  const text = await noticesOf([first, bundleOf("node_modules/@scope/a/dist/a.js", "node_modules/b/dist/b.js")], root);
  expect(text.match(/^\S+ 1\.0\.0 \(MIT\)$/gm)).toEqual(["@scope/a 1.0.0 (MIT)", "b 1.0.0 (MIT)"]);
  expect(text).toContain("Licence of a\n\nAlso this");
  expect(text).not.toContain("unused");
});

test("a bundled package without a licence file is refused", async () => {
  await install("bare", { NOTICE: "only this" });
  await expect(noticesOf([bundleOf("node_modules/bare/dist/x.js")], root)).rejects.toThrow(
    /bare 1\.0\.0 .* no licence file/,
  );
});
