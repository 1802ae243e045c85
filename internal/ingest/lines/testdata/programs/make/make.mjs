// Writes the output of real programs anew: `node make.mjs npm pino` the one of pino, `node make.mjs npm` of all of npm.
//
// PROGRAMS is a folder where they are installed and run, outside of the repository; INSTALL=1 installs them there first, with
// the ordinary clients of npm, pip, go, mvn and cargo (crates.toml is the manifest of the last). The programs of Debian are run in PROGRAMS/debian/root, which
// `debootstrap bookworm` makes; that needs root, and that one may bind to ports of loopback. A row of a recipe is
//
//	=== program | packages; the first has the version
//	$ title: command          what it prints, stdout and stderr apart
//	$ title (terminal): …     with a terminal
//	$ title (serves): …       a server on $PORT, which gets GET /ok, /missing and /fail
//	-- file --                its sources; a line "%shop statement" stands for the shop of its language (shop.txt)
//
// What was read of the old output stays below the new one, to be gone through by a person. Folders of this machine, its
// name and the port are written as /srv/app, box and 8080.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

const here = import.meta.dirname;
const home = process.env.PROGRAMS;
const [ecosystem, ...only] = process.argv.slice(2);
if (!home || !ecosystem) throw new Error("PROGRAMS=folder node make.mjs npm|pypi|go|maven|crates|debian [program…]");
const root = join(home, ecosystem);

const shops = Object.fromEntries(
  readFileSync(join(here, "shop.txt"), "utf8")
    .split(/^=== /m)
    .slice(1)
    .map((block) => [block.slice(0, block.indexOf("\n")), block.slice(block.indexOf("\n") + 1).trimEnd()]),
);

/** The rows of a recipe. */
function rows() {
  return readFileSync(join(here, `${ecosystem}.txt`), "utf8")
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [top, ...files] = block.split(/^-- (.+) --\n/m);
      const [first, ...rest] = top.trimEnd().split("\n");
      const [name, packages = ""] = first.split(" | ");
      const commands = rest.map((line) => /^\$ ([^:(]+?)(?: \((.+?)\))?: (.+)$/.exec(line)).filter(Boolean);
      return {
        name,
        packages: packages.split(" ").filter(Boolean),
        commands: commands.map(([, title, how = "", command]) => ({ title, how, command })),
        files: Array.from({ length: files.length / 2 }, (_, i) => [files[2 * i], shopped(files[2 * i], files[2 * i + 1])]),
      };
    });
}

/** A source with the shop of its language in it. */
function shopped(file, text) {
  const shop = shops[file.split(".").pop()];
  return text.replaceAll(/^%shop (.*)$/gm, (_, statement) => shop.replace("CAUGHT", () => statement));
}

const tool = (name, args, cwd) => execFileSync(name, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 }).trim();

/** How each ecosystem installs, and which version it has. */
const ecosystems = {
  npm: {
    install: (all) => tool("npm", ["install", "--no-audit", "--no-fund", "--legacy-peer-deps", ...all], root),
    version: (p) => (p === "node" ? process.versions.node : JSON.parse(readFileSync(join(root, "node_modules", p.replace(/(.)@.*$/, "$1"), "package.json"), "utf8")).version),
    path: () => `${root}/node_modules/.bin`,
  },
  pypi: {
    install(all) {
      tool("python3", ["-m", "venv", "venv"], root);
      tool("venv/bin/pip", ["install", "-q", ...all], root);
    },
    version(p) {
      const version = p === "python" ? "platform as m; print(m.python_version())" : `importlib.metadata as m; print(m.version("${p}"))`;
      return tool(`${root}/venv/bin/python`, ["-c", `import ${version}`]);
    },
    path: () => `${root}/venv/bin`,
  },
  go: {
    install(all) {
      if (!existsSync(join(root, "go.mod"))) tool("go", ["mod", "init", "shop"], root);
      for (const p of all) if (p !== "go") tool("go", ["get", `${p}@latest`], root);
    },
    version: (p) => (p === "go" ? tool("go", ["env", "GOVERSION"]).slice(2) : tool("go", ["list", "-m", "-f", "{{.Version}}", p], root).slice(1)),
    path: () => `${root}/bin`,
  },
  maven: {
    install() {},
    version: (p) => (p === "java" ? tool("javac", ["-version"]).split(" ")[1] : p === "maven" ? "3.8.7" : p.split(":")[2]),
    path: () => "",
  },
  crates: {
    install: () => writeFileSync(join(root, "Cargo.toml"), readFileSync(join(here, "crates.toml"))),
    version(p) {
      if (p === "rust") return tool("rustc", ["--version"]).split(" ")[1];
      return new RegExp(`name = "${p}"\nversion = "(.+)"`).exec(readFileSync(join(root, "Cargo.lock"), "utf8"))[1];
    },
    path: () => "",
  },
  debian: {
    install: (all) => tool("chroot", [join(root, "root"), "apt-get", "install", "-y", "--no-install-recommends", ...all]),
    version: (p) => tool("chroot", [join(root, "root"), "dpkg-query", "-W", "-f", "${Version}", p]),
    path: () => "",
  },
};
const eco = ecosystems[ecosystem];

/** The folder in which a row runs, with its sources. */
function laid(row) {
  const folder = ecosystem === "debian" ? join(root, "root/srv/app") : join(root, row.name.replaceAll(/\W+/g, "-"));
  for (const [file, text] of row.files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  mkdirSync(folder, { recursive: true });
  if (ecosystem === "maven" && row.packages[0].includes(":")) classes(row, folder);
  return folder;
}

/** Writes the classpath of a row of Maven's. */
function classes(row, folder) {
  const dependencies = row.packages
    .filter((p) => p.includes(":"))
    .map((p) => p.split(":"))
    .map(([g, a, v]) => `<dependency><groupId>${g}</groupId><artifactId>${a}</artifactId><version>${v}</version></dependency>`);
  writeFileSync(
    join(folder, "pom.xml"),
    `<project><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
<dependencies>${dependencies.join("\n")}</dependencies></project>\n`,
  );
  if (!existsSync(join(folder, "cp.txt"))) tool("mvn", ["-q", "dependency:build-classpath", "-Dmdep.outputFile=cp.txt"], folder);
}

const later = (ms) => new Promise((done) => setTimeout(done, ms));

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const reached = (port) =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => done(socket.destroy() && true)).on("error", () => done(false));
  });

const get = (port, path) =>
  new Promise((done) => {
    request({ host: "127.0.0.1", port, path, timeout: 10_000 }, (answer) => answer.resume().on("end", done).on("error", done))
      .on("error", done)
      .on("timeout", done)
      .end();
  });

/** Runs a command and returns what it wrote. */
async function ran({ how, command }, folder) {
  const port = await freePort();
  const env = {
    PATH: `${eco.path()}:${process.env.PATH}`, HOME: process.env.HOME, TZ: "UTC", LANG: "C.UTF-8", PORT: String(port), TERM: "xterm-256color",
    CP: existsSync(join(folder, "cp.txt")) ? readFileSync(join(folder, "cp.txt"), "utf8").trim() : "", ROOT: root,
  };
  let line = ecosystem === "debian" ? `chroot ${root}/root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TZ=UTC LANG=C.UTF-8 PORT=${port} HOME=/tmp sh -c 'cd /srv/app; ${command}'` : command;
  if (how.includes("terminal")) {
    writeFileSync(join(folder, ".terminal.sh"), line);
    line = `stty cols 120 rows 40; sh .terminal.sh`;
    line = `script -qfec '${line}' /dev/null`;
  }
  const begin = new Date();
  const child = spawn("sh", ["-c", line], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const out = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"]) child[stream].setEncoding("utf8").on("data", (text) => (out[stream] += text));
  const ended = new Promise((done) => child.on("close", done));
  if (how.includes("serves")) {
    for (let i = 0; i < 3000 && child.exitCode === null && !(await reached(port)); i++) await later(100);
    await later(500);
    for (const path of ["/ok", "/missing", "/fail"]) await get(port, path);
    await later(1000);
    try { process.kill(-child.pid, "SIGTERM"); } catch {}
    if ((await Promise.race([ended, later(5000).then(() => "late")])) === "late") try { process.kill(-child.pid, "SIGKILL"); } catch {}
  } else {
    const seconds = Number(/(\d+) s/.exec(how)?.[1] ?? 120);
    if ((await Promise.race([ended, later(seconds * 1000).then(() => "late")])) === "late") {
      try { process.kill(-child.pid, "SIGINT"); } catch {}
      await Promise.race([ended, later(3000)]);
      try { process.kill(-child.pid, "SIGKILL"); } catch {}
    }
  }
  await Promise.race([ended, later(2000)]);
  return { out: Object.fromEntries(Object.entries(out).map(([k, v]) => [k, neutral(v, folder, port)])), begin, end: new Date() };
}

/** Output without what is of this machine, in the notation of the corpus. */
function neutral(text, folder, port) {
  return text
    .replaceAll(folder, "/srv/app")
    .replaceAll(root, "/srv")
    .replaceAll(home, "/srv")
    .replaceAll("/root/", "/home/dev/")
    .replaceAll(new RegExp(`\\b${hostname().replaceAll(/\W/g, ".")}\\b`, "g"), "box")
    .replaceAll(new RegExp(`\\b${port}\\b`, "g"), "8080")
    .replaceAll("\x1b", "␛")
    .replaceAll("\x07", "␇")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "␍")
    .replaceAll("\0", "")
    .replace(/\n+$/, "");
}

/** What a person read, by the title of a block. */
function read(file) {
  if (!existsSync(file)) return {};
  return Object.fromEntries(
    readFileSync(file, "utf8")
      .split(/^═══ /m)
      .slice(1)
      .map((block) => [block.split(" | ")[0], block.split(/^───\n/m)[1] ?? ""]),
  );
}

if (process.env.INSTALL) {
  mkdirSync(root, { recursive: true });
  eco.install([...new Set(rows().filter((r) => !only.length || only.includes(r.name)).flatMap((r) => r.packages))].filter((p) => p !== "node" && p !== "python"));
}
async function made(row) {
  const folder = laid(row);
  const file = join(here, "..", ecosystem, `${row.name.replaceAll(/[^\w.-]+/g, "-")}.txt`);
  const before = read(file);
  let text = `# ${row.name} ${row.packages.length ? eco.version(row.packages[0]) : ""}`.trimEnd() + "\n# written by the program\n";
  for (const command of row.commands) {
    const { out, begin, end } = await ran(command, folder);
    for (const [stream, printed] of Object.entries(out)) {
      if (printed.includes("Session terminated, killing shell") || !printed.replaceAll(/␛\[[0-9;]*m/g, "").trim() || (stream === "stderr" && command.how.includes("terminal"))) continue; // what su and script say
      const title = `${command.title}, ${command.how.includes("terminal") ? "terminal" : stream}`;
      text += `═══ ${title} | ${begin.toISOString()} ${end.toISOString()}\n${printed}\n───\n${before[title] ?? ""}`;
    }
    if (!Object.values(out).some((printed) => printed.trim())) console.error(`${row.name}, ${command.title}: nothing`);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(file);
}

for (const row of rows()) {
  if (only.length && !only.includes(row.name)) continue;
  try {
    await made(row);
  } catch (err) {
    console.error(`${row.name}: ${err.message.split("\n")[0]}`);
    process.exitCode = 1;
  }
}
process.exit();
