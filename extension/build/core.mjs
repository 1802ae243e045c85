import { createHash } from "node:crypto";
import * as esbuild from "esbuild";

/**
 * Bundles the scripts of the extension's isolated world so that what two of them use stands in core.js alone, which
 * runs before each. The bundler itself finds it: the parts are built as modules with a common chunk, then each as a script. The
 * chunk's exports are kept in a global of the world whose name has the chunk's hash, so that a script takes the core that it
 * was built with or none.
 *
 * @param options {esbuild.BuildOptions} entryPoints are [{in, out}], outdir is where the scripts go
 * @returns {Promise<{metafile: esbuild.Metafile, key: string}>} what each script is made of; the global's name
 */
export async function buildIsolated(options) {
  const built = await esbuild.build({ ...options, ...asModules(options) });
  return finish(options, built);
}

/** The same on every change. */
export async function watchIsolated(options) {
  const plugin = {
    name: "isolated",
    setup: ({ onEnd }) =>
      onEnd(async (built) => {
        if (built.errors.length === 0) await finish(options, built);
      }),
  };
  const plugins = [...(options.plugins ?? []), plugin];
  const context = await esbuild.context({ ...options, ...asModules(options), plugins });
  await context.watch();
}

const CORE = "core";

const asModules = ({ sourcemap }) => ({
  splitting: true,
  format: "esm",
  chunkNames: CORE,
  write: false,
  metafile: true,
  sourcemap: sourcemap ? "inline" : false,
  footer: {},
});

async function finish(options, { outputFiles, metafile }) {
  const chunk = outputFiles.find(({ path }) => path.endsWith(`/${CORE}.js`));
  if (!chunk || outputFiles.length !== options.entryPoints.length + 1)
    throw new Error("the isolated world has one core");
  const key = `gasolineCore_${createHash("sha256").update(chunk.contents).digest("hex").slice(0, 12)}`;
  const taken = outputFiles.map((file) => (file === chunk ? asCore(file, key, options) : asTaker(file, key, options)));
  const scripts = await Promise.all(taken);
  return { key, metafile: { ...metafile, outputs: weighed(metafile.outputs, Object.assign({}, ...scripts)) } };
}

/**
 * The chunk as a script that runs once in a world. Its exports become members of the global. An element whose id is the name of
 * the global is none of its own.
 */
const asCore = ({ path, text }, key, options) => {
  const exported = /\bexport\s*\{([^{}]*)\};?\s*(?:\/\/.*\s*)?$/;
  const found = exported.exec(text);
  if (!found) throw new Error("the core exports nothing");
  const members = found[1].split(",").map((pair) => pair.trim().split(" as "));
  const kept = `globalThis.${key} = { ${members.map(([own, out = own]) => `${out}: ${own}`).join(", ")} };`;
  const script = text.replace(exported, (whole) => kept + whole.slice(whole.indexOf("}") + 1).replace(/^;/, ""));
  return write(path, script, options, [], { banner: { js: `Object.hasOwn(globalThis,"${key}")||` } });
};

/** A module as a script that reads what it imports from the core. */
const asTaker = (file, key, options) => {
  const names = [...file.text.matchAll(/import\s*\{([^}]*)\}\s*from\s*"\.\/core\.js"/g)].flatMap(([, list]) =>
    list.split(",").map((name) => name.trim().split(" ")[0]),
  );
  const plugin = {
    name: "core",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/core\.js$/ }, () => ({ path: key, namespace: "core" }));
      onLoad({ filter: /^/, namespace: "core" }, () => ({
        contents: `export const { ${[...new Set(names)].join(", ")} } = globalThis.${key};`,
      }));
    },
  };
  return write(file.path, file.text, options, [plugin], {});
};

async function write(path, text, options, plugins, shape) {
  const { metafile } = await esbuild.build({
    ...options,
    ...shape,
    entryPoints: undefined,
    outdir: undefined,
    stdin: { contents: text, resolveDir: options.absWorkingDir, sourcefile: path.replace(/js$/, "module.js") },
    outfile: path,
    format: "iife",
    plugins,
    metafile: true,
  });
  return metafile.outputs;
}

/** The modules' inputs with the scripts' sizes. */
const weighed = (modules, scripts) =>
  Object.fromEntries(
    Object.entries(modules).map(([path, output]) => [path, { ...output, bytes: scripts[path]?.bytes ?? output.bytes }]),
  );
