// What is wrong with the repository's Markdown: lines of more than 100 columns, and relative links that lead nowhere.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const COLUMNS = 100;
/** Pages that programs write. Their tables may be wider. */
const GENERATED = /^docs\/(reference\/|benchmarks\.md$)/;
/** Optional marks of a list or a quotation, and then one word, as a long address is. */
const ONE_WORD = /^\s*(?:[-*>] )?\S+$/;
const width = (line) => Array.from(line).length;
const LINK = /\]\((?!https?:|mailto:)([^)\s]+)\)/g;

/** The anchors that GitHub makes of a page's headings. */
function anchors(text) {
  return new Set(
    prose(text)
      .filter((line) => /^#+ /.test(line))
      .map((line) =>
        line
          .replace(/^#+ /, "")
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-"),
      ),
  );
}

/** The lines of a page, those of code blocks empty. */
function prose(text) {
  let code = false;
  return text.split("\n").map((line) => {
    const fence = /^\s*```/.test(line);
    const inside = code || fence;
    code = code !== fence;
    return inside ? "" : line;
  });
}

/** Returns a line for each problem. */
function markdown(root) {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: root,
    encoding: "utf8",
  });
  const problems = [];
  for (const file of listed.split("\0").filter((name) => name && existsSync(join(root, name)))) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [n, line] of text.split("\n").entries())
      if (width(line) > COLUMNS && !ONE_WORD.test(line) && !(GENERATED.test(file) && line.startsWith("|")))
        problems.push(`${file}:${n + 1}: ${width(line)} columns; the most is ${COLUMNS}`);
    for (const [n, line] of prose(text).entries())
      for (const [, target] of line.replaceAll(/`[^`]*`/g, "").matchAll(LINK)) {
        const [path, anchor] = target.split("#");
        const to = path ? resolve(root, dirname(file), path) : join(root, file);
        const outside = relative(root, to).startsWith("..");
        if (outside || !existsSync(to)) problems.push(`${file}:${n + 1}: ${target} is not there`);
        else if (anchor && statSync(to).isFile() && !anchors(readFileSync(to, "utf8")).has(anchor))
          problems.push(`${file}:${n + 1}: ${target} has no such heading`);
      }
  }
  return problems;
}

const problems = markdown(join(import.meta.dirname, ".."));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
