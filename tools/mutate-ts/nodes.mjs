// Runs tests of a package of Node against breaks: one build of the package holds all breaks, each break is one run of the
// test files that reach it. The tests' programs load that build.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";
import { instrument } from "./breaks.mjs";
import { install } from "./switch.mjs";

/** A test file may take so many times longer than it did without a break. */
const LIMIT = { factor: 4, ms: 20_000 };

/** What the build and the tests begin with: breaks by number from the environment, reached ones into a file. */
const head = `import { appendFileSync as $append } from "node:fs";
(${install.toString()})(Number(process.env.MUTATE_BREAK ?? 0));
if (process.env.MUTATE_REACHED) {
  const seen = new Set();
  globalThis.$m = (id) => {
    if (!seen.has(id)) {
      seen.add(id);
      $append(process.env.MUTATE_REACHED, id + "\\n");
    }
    return false;
  };
}
`;

/** NodeTests has the tests of a package. It is asked like PageTests. Close it. */
export class NodeTests {
  /** @type {import("./breaks.mjs").Break[]} */
  breaks = [];
  #root;
  #given;
  #dir = "";
  #tests = []; // { file, took, reached }, the quickest first

  /**
   * Builds the package and runs its tests without a break. Throws when one fails.
   * @param {string} root
   * @param {{ path: string, workspace: string, tests: string[], programs: string[] }} given as main.mjs has it
   * @param {string[]} files what is broken, absolute
   */
  static async open(root, given, files) {
    const made = new NodeTests();
    made.#root = root;
    made.#given = given;
    made.#dir = await mkdtemp(join(tmpdir(), "mutate-"));
    const texts = {};
    for (const file of files) {
      const { text, breaks } = instrument(await readFile(file, "utf8"), relative(root, file), made.breaks.length + 1);
      // A function whose text runs in a thread finds nothing of its surroundings there, and nothing of ours.
      texts[file] = text.replaceAll(
        "`(${inThread.toString()})",
        "`globalThis.$m=(id)=>id===${$mutate.now};globalThis.$step=()=>{};(${inThread.toString()})",
      );
      made.breaks.push(...breaks);
    }
    try {
      await made.#build(texts);
      await made.#healthy();
    } catch (error) {
      await made.close();
      throw error;
    }
    return made;
  }

  async close() {
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** A runner; nothing is kept between breaks. */
  async page() {
    return { context: () => ({ close: async () => undefined }) };
  }

  async #build(texts) {
    const { programs, workspace } = this.#given;
    const plugin = {
      name: "breaks",
      setup(build) {
        build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
          path in texts ? { contents: texts[path], loader: "ts" } : undefined,
        );
      },
    };
    await build({
      absWorkingDir: join(this.#root, workspace),
      entryPoints: programs,
      bundle: true,
      platform: "node",
      target: "node18.19",
      format: "esm",
      outdir: join(this.#dir, "dist"),
      outExtension: { ".js": ".mjs" },
      banner: { js: head },
      plugins: [plugin],
      logLevel: "error",
    });
    await writeFile(join(this.#dir, "setup.mjs"), head);
    await writeFile(join(this.#dir, "texts.json"), JSON.stringify(texts));
    await writeFile(
      join(this.#dir, "vitest.config.mjs"),
      `import { readFileSync } from "node:fs";
const texts = JSON.parse(readFileSync(new URL("texts.json", import.meta.url), "utf8"));
export default {
  root: ${JSON.stringify(join(this.#root, workspace))},
  plugins: [{ name: "breaks", enforce: "pre", load: (id) => texts[id.split("?")[0]] }],
  test: { setupFiles: [${JSON.stringify(join(this.#dir, "setup.mjs"))}], testTimeout: 20_000, retry: 0, bail: 1 },
};
`,
    );
  }

  /** Runs one test file. Resolves with what failed, "" when nothing did. */
  #run(file, env, ms) {
    return new Promise((resolve) => {
      const child = spawn(
        process.execPath,
        [
          join(this.#root, "node_modules/vitest/vitest.mjs"),
          "run",
          "--config",
          join(this.#dir, "vitest.config.mjs"),
          file,
        ],
        {
          cwd: join(this.#root, this.#given.workspace),
          env: { ...process.env, NO_COLOR: "1", MUTATE_DIST: join(this.#dir, "dist"), ...env },
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      let told = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (d) => (told += d));
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, ms);
      child.on("close", (code) => {
        clearTimeout(timer);
        if (late) resolve(`it hangs: ${basename(file)}`);
        else if (code === 0) resolve("");
        else resolve(/FAIL\s+(.*(?:\n\w*Error: .*)?)/.exec(told)?.[1] ?? `${basename(file)}: ${told.slice(-500)}`);
      });
    });
  }

  async #healthy() {
    await mkdir(join(this.#dir, "reached"));
    for (const file of this.#given.tests) {
      const reached = join(this.#dir, "reached", basename(file));
      await writeFile(reached, "");
      const began = performance.now();
      const failed = await this.#run(file, { MUTATE_REACHED: reached }, 300_000);
      if (failed) throw new Error(`${file} fails without a break: ${failed}`);
      const ids = (await readFile(reached, "utf8")).split("\n").filter(Boolean).map(Number);
      this.#tests.push({ file, took: performance.now() - began, reached: new Set(ids) });
    }
    this.#tests.sort((a, b) => a.took - b.took);
    if ((await readdir(join(this.#dir, "dist"))).length === 0) throw new Error("nothing was built");
  }

  /** Says which test notices a break; "" for none. */
  async notices(_page, id) {
    for (const { file, took, reached } of this.#tests) {
      if (!reached.has(id)) continue;
      const failed = await this.#run(file, { MUTATE_BREAK: String(id) }, LIMIT.ms + LIMIT.factor * took);
      if (failed) return failed.split("\n")[0];
    }
    return "";
  }
}
