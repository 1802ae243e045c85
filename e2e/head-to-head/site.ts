// The pages of all libraries on a loopback port: bundled once, served from memory of the disk.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Library } from "./task.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const PAGES = join(here, "pages");
const OUT = join(here, "../../.cache/head-to-head");

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
};

/** The libraries by their file's name. */
export async function libraries(): Promise<Map<string, Library>> {
  const found = new Map<string, Library>();
  for (const file of readdirSync(PAGES).sort()) {
    if (!file.endsWith(".tasks.ts")) continue;
    const { default: library } = (await import(pathToFileURL(join(PAGES, file)).href)) as { default: Library };
    found.set(file.replace(".tasks.ts", ""), library);
  }
  return found;
}

/** The version of an npm package that a page is made with; "" for none. */
export function versionOf(name: string): string {
  if (name === "") return "";
  const { version } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

/** Serves the pages of libraries under their names. */
export class Site {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** more answers what is no page of a library. */
  static async start(all: ReadonlyMap<string, Library>, more: Library["serve"]): Promise<Site> {
    const entries: Record<string, string> = {};
    for (const [name, { entries: workers = {} }] of all) {
      const file = ["tsx", "ts"].map((end) => join(PAGES, `${name}.${end}`)).find(existsSync);
      if (!file) throw new Error(`pages/${name}.tasks.ts has no page beside it`);
      entries[name] = file;
      for (const [served, path] of Object.entries(workers)) entries[served] = path;
    }
    await build({
      entryPoints: Object.entries(entries).map(([out, path]) => ({ in: path, out })),
      absWorkingDir: here,
      outdir: OUT,
      bundle: true,
      minify: true,
      format: "esm",
      target: "es2023",
      jsx: "automatic",
      define: {
        "process.env.NODE_ENV": '"production"',
        global: "globalThis",
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
      loader: { ".svg": "dataurl", ".ttf": "dataurl", ".woff": "dataurl", ".woff2": "dataurl", ".png": "dataurl" },
      logLevel: "error",
    });
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      const send = (type: string, body: string | Buffer): void => {
        response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);
      };
      const [name = ""] = pathname.slice(1).split("/");
      const library = all.get(name);
      if (library && pathname === `/${name}/`) return send("text/html; charset=utf-8", html(name, library));
      if (library?.serve?.(request, response) || more?.(request, response)) return;
      const file = join(OUT, pathname);
      if (!pathname.includes("..") && existsSync(file) && TYPES[extname(file)])
        return send(TYPES[extname(file)]!, readFileSync(file));
      response.writeHead(404).end();
    });
    await new Promise<void>((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
    const address = server.address();
    if (!address || typeof address !== "object") throw new Error("the site has no port");
    return new Site(server, `http://127.0.0.1:${address.port}`);
  }

  page(name: string): string {
    return `${this.url}/${name}/`;
  }

  close(): Promise<void> {
    return new Promise((done) => {
      this.#server.close(() => done());
      this.#server.closeAllConnections();
    });
  }
}

const html = (name: string, { title }: Library): string => {
  const style = existsSync(join(OUT, `${name}.css`)) ? `<link rel="stylesheet" href="/${name}.css">` : "";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">${style}<body><div id="root"></div><script type="module" src="/${name}.js"></script></body></html>`;
};
