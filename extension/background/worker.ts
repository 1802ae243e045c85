import type { DaemonSettings, ExtensionSettings, SyncAnswer } from "@gasoline/schema/wire";
import type { Context } from "../commands/context.ts";
import type { PageConfig } from "../messages/content.ts";
import { type Connection, readConnection, readLastError, writeConnection, writeLastError } from "../state/connection.ts";
import { isLoopback } from "../state/origins.ts";
import { type Settings, parseSettings, readSettings } from "../state/settings.ts";
import { showBadge } from "./badge.ts";
import { DaemonClient, Refused } from "./daemon/client.ts";
import { keepDaemonSettings, loadDaemonSettings, mergeDaemonSettings } from "./daemon/daemon-settings.ts";
import { ExtensionLog } from "./daemon/extension-log.ts";
import { Identity } from "./daemon/identity.ts";
import { OwnEvents } from "./daemon/own-events.ts";
import { CommandLine } from "./daemon/poll.ts";
import { Results } from "./daemon/results.ts";
import { Spill } from "./daemon/spill.ts";
import { Uploader, isStranger } from "./daemon/uploader.ts";
import { Debuggers } from "./debugger/debugger.ts";
import { Executor } from "./execution/executor.ts";
import { TabPages } from "./execution/pages.ts";
import { scriptRoutes, userScriptsAvailable } from "./execution/scripts.ts";
import { AgentFrames } from "./frames/agent.ts";
import { Pipeline } from "./frames/pipeline.ts";
import { Ports } from "./frames/ports.ts";
import { RefBlocks } from "./frames/refs.ts";
import { NetworkJoin } from "./network/join.ts";
import { NetworkObserver } from "./network/observer.ts";
import { redactWith } from "./network/redaction.ts";
import { TabImages } from "./screenshots/images.ts";
import { SourceMapper } from "./sourcemaps/mapper.ts";
import { Grants } from "./tabs/grants.ts";
import { TabList } from "./tabs/list.ts";
import { StaleTabs } from "./tabs/stale.ts";

/**
 * The parts of one life of the worker, joined. Everything that has to outlive it is in storage;
 * everything here can be made again at any moment.
 */
export class Worker {
  readonly identity = new Identity();
  readonly grants = new Grants();
  readonly stale = new StaleTabs();
  readonly tabs = new TabList(this.grants, this.stale);
  readonly refs = new RefBlocks();
  readonly debuggers = new Debuggers();
  readonly ports: Ports;
  readonly network: NetworkObserver;
  readonly line: CommandLine;
  readonly log: ExtensionLog;

  readonly #client = new DaemonClient(() => this.identity.door());
  readonly #uploader: Uploader;
  readonly #pipeline: Pipeline;
  readonly #executor: Executor;
  readonly #images = new TabImages();
  readonly #frames = new AgentFrames(this.refs);
  readonly #pages: TabPages;
  readonly #mapper = new SourceMapper((url) => this.grants.covers(url));
  #settings: Settings = parseSettings({});
  #settled = false; // settings and what the daemon asked for are read
  #asked: DaemonSettings = { salt: "", body_limit: 16_384, tracked: [] };
  #connection: Connection = { phase: "searching", port: 0, since: Date.now(), tracked: [] };

  constructor(version: string) {
    const session = () => this.identity.session();
    this.#uploader = new Uploader({
      client: this.#client,
      spill: new Spill(chrome.storage.session),
      session,
      ready: async () => (await this.identity.door()).token !== undefined,
      version,
      settings: () => this.#wireSettings(),
      tabs: () => this.tabs.all(),
      answered: (answer) => void this.#answered(answer),
      failed: (error) => void this.#uploadFailed(error),
    });
    const own = new OwnEvents(this.#uploader);
    this.log = new ExtensionLog(own);
    const redact = redactWith(() => this.#asked.salt);
    const join: NetworkJoin = new NetworkJoin(redact, (request) => this.network.unclaimed(request));
    this.network = new NetworkObserver(join, redact, (url) => !this.#isDaemon(url), {
      exchange: (place, exchange) => {
        const page_url = place.page_url || this.#pageURL(place.tab, place.frame);
        own.emit("network", { ...place, page_url }, exchange, exchange.outcome !== "ok");
      },
      policies: (tab, policies) => this.tabs.setHeaders(tab, policies),
    });
    this.#pipeline = new Pipeline(join, this.#mapper, this.#uploader);
    this.ports = new Ports(() => this.#pageConfig(), {
      hello: ({ tab, frame }) => {
        if (frame === 0) void this.stale.clear(tab).then(() => this.tabsChanged());
      },
      batch: (stamp, json, urgent, done) => {
        this.line.ensure();
        this.#pipeline.take(stamp, json, urgent, done);
      },
      policy: (stamp, content) => this.tabs.setMetas(stamp.tab, content),
    });
    this.#pages = new TabPages(this.tabs, this.ports);
    this.#executor = new Executor({
      results: new Results(this.#client, session),
      pilot: async () => (await readSettings()).pilot,
      context: (tab, deadline) => this.#context(tab, deadline),
      describe: (tab) => this.tabs.one(tab),
      activeTab: () => this.#pages.active(),
      actor: (tab, client) => this.ports.actor(tab, client),
      acted: (tab) => void this.#flush(tab),
      log: (message, data) => this.log.warn("command", message, data),
    });
    this.line = new CommandLine(this.#client, this.identity, {
      connected: () => void this.#connected(),
      pairing: (code) => void this.#enter({ phase: "pairing", code }),
      lost: () => void this.#enter({ phase: "searching" }),
      refused: (error) => void this.#refused(error),
      command: (command) => void this.#executor.take(command),
    });
  }

  /** Reads what earlier lives left behind, and goes to work. */
  async start(): Promise<void> {
    await Promise.all([
      chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" }),
      chrome.storage.session.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" }),
    ]);
    [this.#asked, this.#connection] = await Promise.all([loadDaemonSettings(), readConnection()]);
    this.#settings = await readSettings(); // not with the others: a change meanwhile must not be undone by them
    this.#settled = true;
    this.ports.configure();
    await Promise.all([this.stale.load(), this.grants.refresh(), this.tabs.load()]);
    await this.#showBadge();
    this.line.ensure();
    await this.#executor.forgetOld();
  }

  /** The user changed a setting. */
  async settingsChanged(): Promise<void> {
    const before = this.#settings;
    this.#settings = await readSettings();
    this.ports.configure();
    await this.#showBadge();
    if (before.port !== this.#settings.port) this.line.restart();
    this.#uploader.schedule(0);
  }

  /** Something about tabs changed that the daemon wants to know. */
  tabsChanged(): void {
    this.#uploader.schedule(200);
  }

  async #context(tab: number, deadline: number): Promise<Context> {
    return {
      tab,
      deadline,
      pages: this.#pages,
      frames: this.#frames,
      debug: this.debuggers,
      images: this.#images,
      scripts: scriptRoutes((await readSettings()).scriptHosts),
      flush: (only) => this.#flush(only),
    };
  }

  async #flush(tab: number | undefined): Promise<number> {
    const frames = await this.ports.flush(tab);
    await this.#pipeline.idle();
    await this.#uploader.flush();
    await this.#uploader.settle();
    return frames;
  }

  async #connected(): Promise<void> {
    await this.#enter({ phase: "connected" });
    await writeLastError(undefined);
    this.#uploader.resume();
    this.log.info("connection", "connected to the daemon");
  }

  async #refused(error: Refused): Promise<void> {
    await this.#enter({ phase: "refused" });
    await writeLastError({ message: error.message, fix: error.fix, at: Date.now() });
  }

  async #uploadFailed(error: unknown): Promise<void> {
    if (isStranger(error)) {
      await this.identity.forgetToken();
      this.line.restart();
    } else if (error instanceof Refused) {
      await writeLastError({ message: error.message, fix: error.fix, at: Date.now() });
      this.log.warn("upload", error.message, { status: error.status, code: error.code });
    }
  }

  async #answered(answer: SyncAnswer): Promise<void> {
    const before = this.#asked;
    this.#asked = mergeDaemonSettings(before, answer.settings);
    if (JSON.stringify(before) !== JSON.stringify(this.#asked)) {
      await keepDaemonSettings(this.#asked);
      if (before.salt !== this.#asked.salt || before.body_limit !== this.#asked.body_limit) this.ports.configure();
    }
    await this.#enter({ phase: "connected", version: answer.server.version });
  }

  async #enter(change: Pick<Connection, "phase"> & Partial<Connection>): Promise<void> {
    const { phase, since } = this.#connection;
    const next: Connection = {
      since: change.phase === phase ? since : Date.now(),
      port: await this.identity.port(),
      tracked: this.#asked.tracked,
      ...(change.phase === "connected" && this.#connection.version ? { version: this.#connection.version } : {}),
      ...change,
    };
    if (JSON.stringify(next) === JSON.stringify(this.#connection)) return;
    this.#connection = next;
    await Promise.all([writeConnection(next), this.#showBadge()]);
  }

  #showBadge(): Promise<void> {
    const beyond = this.#settings.scriptHosts.some((origin) => !isLoopback(origin));
    return showBadge(this.#connection, this.#settings.pilot, this.#settings.pilot && beyond);
  }

  #pageConfig(): PageConfig | undefined {
    if (!this.#settled) return undefined;
    return { bodies: this.#settings.bodies, bodyLimit: this.#asked.body_limit, salt: this.#asked.salt };
  }

  async #wireSettings(): Promise<ExtensionSettings> {
    const { pilot, bodies, scriptHosts } = this.#settings;
    const problem = await readLastError();
    return {
      pilot,
      bodies,
      grants: [...this.grants.patterns],
      script_hosts: scriptHosts,
      user_scripts: userScriptsAvailable(),
      name: await this.identity.name(),
      ...(problem ? { last_error: problem.message } : {}),
    };
  }

  #isDaemon(url: string): boolean {
    return url.startsWith(`http://127.0.0.1:${this.#connection.port}/`);
  }

  #pageURL(tab: number, frame: number): string {
    const documents = this.ports.documents(tab);
    return (documents.find((at) => at.frame === frame) ?? documents.find((at) => at.frame === 0))?.page_url ?? "";
  }
}
