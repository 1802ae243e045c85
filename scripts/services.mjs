// Writes the services that analyze third_party_audit knows, from the data of the package third-party-web (MIT):
//
//   npm pack third-party-web && tar xzf third-party-web-*.tgz && node scripts/services.mjs package
//
// A line is a name, what it is for, and its hosts; *.a.example stands for a.example and what is below it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./results.mjs";

const [, , folder] = process.argv;
const read = async (name) => readFile(join(folder, name), "utf8");
const { version } = JSON.parse(await read("package.json"));
const entities = JSON.parse(await read("dist/entities-nostats.json"));
const licence = (await read("LICENSE")).trim();
const lines = entities
  .filter(({ domains }) => domains.length > 0)
  .map(({ name, category, domains }) =>
    [name, category, domains.join(" ")].map((part) => part.replace(/\s+/g, " ")).join("\t"),
  );
const head = [
  `third-party-web ${version}, https://github.com/patrickhulce/third-party-web`,
  "",
  ...licence.split("\n"),
];
const text = [...head.map((line) => `# ${line}`.trimEnd()), ...lines.toSorted()].join("\n");
await writeFile(join(ROOT, "internal/analysis/services.tsv"), `${text}\n`);
