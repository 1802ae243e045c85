import { access, readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * The licences of the packages whose code is in the bundles, as their authors ship them: what has to travel with the
 * product. Sorted by name, so that equal input gives equal text. Throws when a package has no licence file.
 *
 * @param metafiles {import("esbuild").Metafile[]} their paths are relative to root
 * @param root {string}
 * @param beside {string[]} files of packages that lie beside the bundles, as absolute paths
 * @returns {Promise<string>}
 */
export async function noticesOf(metafiles, root, beside = []) {
  const folders = new Set(await Promise.all(beside.map(packageOf)));
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        if (bytesInOutput > 0 && path.includes("node_modules/")) folders.add(await packageOf(join(root, path)));
      }
    }
  }
  const notices = await Promise.all([...folders].map(noticeOf));
  notices.sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = notices.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  return ["Gasoline contains code of these packages, under their licences.\n", ...parts].join(
    `\n${"-".repeat(80)}\n\n`,
  );
}

/** The folder of the package that a file belongs to: the nearest one whose package.json has a name and a version. */
async function packageOf(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (!(await exists(path))) continue;
    const { name, version } = JSON.parse(await readFile(path, "utf8"));
    if (name && version) return folder;
  }
  throw new Error(`${file} belongs to no package`);
}

async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder))
    .filter((file) => /^(licen[cs]e|copying|notice)(\.\w+|-\w+)*$/i.test(file))
    .sort();
  if (!files.some((file) => !/^notice/i.test(file))) {
    throw new Error(`${name} ${version} is bundled and has no licence file in ${folder}`);
  }
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return { name, version, license, text: texts.map((text) => text.replaceAll("\r\n", "\n").trim()).join("\n\n") };
}

async function exists(path) {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
