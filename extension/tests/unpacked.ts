import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));

/** What the user granted before a test begins: a prompt cannot be answered headless. */
export interface Variant {
  /** Every site, as after the popup's button. */
  allSites: boolean;
  /** Chrome shows the extension every request, as after the switch in the options and a new start of the browser. */
  networkDetail: boolean;
  /** Chrome tells the extension of downloads, as after the switch in the options. */
  downloads: boolean;
}

/** Copies of the built extension that look for their daemon on one port: a folder for each variant, made when it is first asked for. */
export class Unpacked {
  readonly #home: string;
  readonly #port: number;
  readonly #folders = new Map<string, Promise<string>>(); // by variant

  private constructor(home: string, port: number) {
    this.#home = home;
    this.#port = port;
  }

  static async make(port: number): Promise<Unpacked> {
    return new Unpacked(await mkdtemp(join(tmpdir(), "gasoline-ext-")), port);
  }

  async folder(variant: Variant): Promise<string> {
    const granted = (["allSites", "networkDetail", "downloads"] as const).filter((grant) => variant[grant]);
    const name = ["extension", ...granted].join("-");
    const made = this.#folders.get(name) ?? this.#unpack(join(this.#home, name), variant);
    this.#folders.set(name, made);
    return made;
  }

  async remove(): Promise<void> {
    await rm(this.#home, { recursive: true, force: true, maxRetries: 3 });
  }

  async #unpack(folder: string, { allSites, networkDetail, downloads }: Variant): Promise<string> {
    await cp(DIST, folder, { recursive: true });
    await writeFile(join(folder, "config.json"), JSON.stringify({ port: this.#port }));
    const path = join(folder, "manifest.json");
    const manifest = JSON.parse(await readFile(path, "utf8")) as {
      permissions: string[];
      host_permissions: string[];
      optional_host_permissions: string[];
    };
    if (allSites) Object.assign(manifest, { host_permissions: ["<all_urls>"], optional_host_permissions: [] });
    if (networkDetail) manifest.permissions.push("webRequest");
    if (downloads) manifest.permissions.push("downloads");
    await writeFile(path, JSON.stringify(manifest));
    return folder;
  }
}
