import type { CommandKind } from "@gasoline/schema/commands";
import type { DaemonSettings, ExtensionSettings, SyncAnswer, Tracking, TrackingAnswer } from "@gasoline/schema/wire";
import { within } from "../commands/act.ts";
import type { Context, Flushed } from "../commands/context.ts";
import { CommandProblem } from "../commands/problem.ts";
import { screenshot } from "../commands/screenshot.ts";
import type { ActionId, PageConfig } from "../messages/content.ts";
import type { AskFilm, FilmTold } from "../state/films.ts";
import { type AskPairing, type PairingTold, parseCode } from "../state/pairing.ts";
import type { AskTracking, TrackingTold } from "../state/tracking.ts";
import {
  type Connection,
  type LastError,
  isOver,
  readConnection,
  readLastError,
  writeConnection,
  writeLastError,
} from "../state/connection.ts";
import { isLoopback } from "../state/origins.ts";
import { choose, isOn, mayActOn } from "../state/pilot.ts";
import { type Settings, parseSettings, readSettings, writeSettings } from "../state/settings.ts";
import { showBadge } from "./badge.ts";
import { DaemonClient, Refused } from "./daemon/client.ts";
import { keepDaemonSettings, loadDaemonSettings, mergeDaemonSettings } from "./daemon/daemon-settings.ts";
import { ExtensionLog } from "./daemon/extension-log.ts";
import { Identity } from "./daemon/identity.ts";
import { OwnEvents } from "./daemon/own-events.ts";
import { CommandLine } from "./daemon/poll.ts";
import { Results } from "./daemon/results.ts";
import { Spill } from "./daemon/spill.ts";
import { Uploader } from "./daemon/uploader.ts";
import { Downloads } from "./downloads/downloads.ts";
import { Debuggers } from "./debugger/debugger.ts";
import { Drawings } from "./drawings/drawings.ts";
import { Executor } from "./execution/executor.ts";
import { Inputs } from "./execution/inputs.ts";
import { TabPages } from "./execution/pages.ts";
import { Powers } from "./execution/powers.ts";
import { scriptRoutes, userScriptsAvailable } from "./execution/scripts.ts";
import { ActionTimes } from "./execution/times.ts";
import { Covers } from "./film/cover.ts";
import { TabFilms } from "./film/films.ts";
import { AgentFrames } from "./frames/agent.ts";
import { Pipeline } from "./frames/pipeline.ts";
import { Ports } from "./frames/ports.ts";
import { RefBlocks } from "./frames/refs.ts";
import { NetworkJoin } from "./network/join.ts";
import { NetworkObserver } from "./network/observer.ts";
import { redactWith } from "./network/redaction.ts";
import { TabImages } from "./screenshots/images.ts";
import { LoadedFiles } from "./sourcemaps/loaded.ts";
import { SourceMapper } from "./sourcemaps/mapper.ts";
import { Grants } from "./tabs/grants.ts";
import { TabList } from "./tabs/list.ts";
import { StaleTabs } from "./tabs/stale.ts";
import { Tracer } from "./trace/tracer.ts";
import { closeStorage, local, session as kept } from "../state/browser.ts";

/** A picture of what the user drew takes so long at most, ms. */
const PICTURE_MS = 5000;

/** Documents that do not answer a flush in this time have nothing to say. */
const FLUSH_MS = 1500;

/** A page is told that it was marked within so long, ms, or not at all. */
const MARK_MS = 1000;

/**
 * The parts of one life of the worker, joined. Everything that has to outlive it is in storage;
 * everything here can be made again at any moment.
 */
export class Worker {
  readonly identity = new Identity();
  readonly grants = new Grants();
  readonly stale = new StaleTabs();
  readonly tabs = new TabList(this.grants, this.stale, (tab) => this.ports.withoutPageScript(tab));
  readonly refs = new RefBlocks();
  readonly debuggers = new Debuggers();
  readonly ports: Ports;
  readonly network: NetworkObserver;
  readonly line: CommandLine;
  readonly log: ExtensionLog;

  readonly #client = new DaemonClient(
    () => this.identity.place(),
    () => this.line.wake(),
  );
  readonly #uploader: Uploader;
  readonly #pipeline: Pipeline;
  readonly #executor: Executor;
  readonly #images = new TabImages();
  readonly #frames = new AgentFrames(
    this.refs,
    {
      known: (tab) => this.ports.documents(tab),
      onCome: (tab, heard) => this.ports.onHello((stamp) => stamp.tab === tab && heard()),
      onLeft: (document, left) => this.ports.onLeft(document, left),
      granted: (url) => this.grants.covers(url),
    },
    (tab, power, site) => this.#powers.may(tab, power, site),
  );
  readonly #inputs = new Inputs(
    this.debuggers,
    (tab, document, point, deadline) => this.#frames.pointIn(tab, document, point, deadline),
    (tab, ref, deadline) => this.#frames.spotOf(tab, ref, deadline),
    (tab, document, deadline) => this.#frames.keysCome(tab, document, deadline),
    (tab, power) => this.#powers.may(tab, power),
    (document, left) => this.ports.onLeft(document, left),
  );
  readonly #downloads = new Downloads((url) => this.grants.covers(url));
  readonly #covers = new Covers(
    this.#frames,
    (tab) => this.#pages.document(tab),
    (heard) => this.ports.onHello(heard),
  );
  readonly films = new TabFilms(
    this.debuggers,
    this.#client,
    this.#covers,
    () => this.identity.session(),
    (tab, power, site, at) => this.#powers.may(tab, power, site, at),
  );
  readonly #drawings = new Drawings({
    picture: async (tab, size) => {
      const context: Context = {
        ...(await this.#context("screenshot", tab, Date.now() + PICTURE_MS, new AbortController().signal)),
        elsewhere: () => context, // a picture opens no tab
      };
      return (await screenshot({ format: "jpeg", ...size }, context)).data;
    },
    address: (tab, document) => this.ports.documents(tab).find((shown) => shown.document === document)?.page_url,
    granted: (url) => !/^https?:/.test(url) || this.grants.covers(url),
    emit: (tab, page_url, marks) => {
      for (const mark of marks) {
        const at = { t: Date.now(), mono: performance.now() };
        this.#own.emit("marks", { tab, frame: 0, page_url }, { ...at, ...mark }, true);
      }
      void this.#flush(tab, FLUSH_MS);
    },
  });
  readonly #times = new ActionTimes();
  readonly tracer = new Tracer({
    wish: () => this.#settings,
    own: {
      read: async () => (await local.read<string[]>("ownTraces")) ?? [],
      write: (origins) => local.write({ ownTraces: origins }),
    },
  });
  readonly #flushed = new Set<string>(); // actions that run and have had what they caused sent
  readonly #pages: TabPages;
  readonly #powers = new Powers(readSettings, async (tab, at) => {
    await this.#granted;
    const shown = at ? { url: at } : await this.#pages.shown(tab);
    const { url } = shown;
    // A page without an address of its own is the site's that made it, and has a content script where that is granted.
    return { ...shown, granted: this.grants.covers(url) || (!/^https?:/.test(url) && this.#pages.captured(tab)) };
  });
  #granted: Promise<unknown> = new Promise(() => {}); // until the grants are read
  readonly #loaded = new LoadedFiles(kept);
  readonly #mapper = new SourceMapper(
    (url) => this.grants.covers(url),
    (url) => this.#loaded.as(url),
  );
  #settings: Settings = parseSettings({});
  #tellSettings: () => void = () => {};
  readonly #settingsRead = new Promise<void>((tell) => (this.#tellSettings = tell));
  #settled = false; // settings and what the daemon asked for are read
  #tellSalt: (salt: string) => void = () => {};
  readonly #firstSalt = new Promise<string>((tell) => (this.#tellSalt = tell));
  #asked: DaemonSettings = { salt: "", body_limit: 16_384 };
  readonly #own: OwnEvents;
  #connection: Connection = { phase: "searching", port: 0, since: Date.now(), agents: [] };

  constructor(version: string) {
    const session = () => this.identity.session();
    this.#uploader = new Uploader({
      client: this.#client,
      spill: new Spill(kept),
      session,
      ready: async () => this.#client.proven,
      version,
      settings: () => this.#wireSettings(),
      tabs: () => this.tabs.all(),
      answered: (answer) => void this.#answered(answer),
      failed: (error) => void this.#uploadFailed(error),
    });
    const own = new OwnEvents(this.#uploader);
    this.#own = own;
    this.log = new ExtensionLog(own);
    const redact = redactWith(() => this.#asked.salt);
    const shows = (url: string): boolean => this.network.shows && this.grants.covers(url);
    const join: NetworkJoin = new NetworkJoin(redact, shows, (request) => this.network.unclaimed(request));
    this.network = new NetworkObserver(join, redact, (url) => !this.#isDaemon(url), {
      exchange: (place, exchange) => {
        // Chrome also shows those of a page over which the user opened the popup.
        const asked = (exchange.redirects?.[0] ?? exchange.url).replace(/^ws/, "http");
        // Where a navigation was led to is the address of a page.
        if (!this.grants.covers(asked) || !this.grants.covers(place.page_url || asked)) return;
        const page_url = place.page_url || this.#pageURL(place.tab, place.frame);
        own.emit("network", { ...place, page_url }, exchange, exchange.outcome !== "ok");
      },
      policies: (tab, policies) => this.tabs.setHeaders(tab, policies),
    });
    const salt = (): Promise<string> => this.#firstSalt.then(() => this.#asked.salt);
    this.#pipeline = new Pipeline(
      join,
      this.#mapper,
      this.#loaded,
      this.#uploader,
      shows,
      salt,
      this.#times,
      this.tracer,
    );
    this.ports = new Ports(
      () => this.#pageConfig(),
      (url) => !this.grants.known || this.grants.covers(url),
      {
        hello: ({ tab, frame, document, page_url }, loaded) => {
          if (frame === 0) void this.tracer.showed(tab, document, page_url, this.#settingsRead);
          void this.#loaded.add(loaded, "document");
          void this.films.came(tab);
          if (frame === 0) void this.#showed(tab, document);
          if (frame === 0) void this.stale.clear(tab).then(() => this.tabsChanged());
          else if (this.ports.withoutPageScript(tab)) this.tabsChanged();
        },
        left: ({ tab, frame }) => {
          if (frame !== 0) void this.films.left(tab);
        },
        batch: (stamp, json, urgent, done) => {
          this.line.ensure();
          this.#pipeline.take(stamp, json, urgent, done);
        },
        policy: (stamp, content) => void this.network.load().then(() => this.tabs.setMetas(stamp.tab, content)),
      },
    );
    this.#pages = new TabPages(this.tabs, this.ports, this.debuggers, () => this.#uploader.flush());
    this.#frames.listen();
    this.#inputs.listen();
    this.#drawings.listen();
    this.#downloads.listen();
    this.#executor = new Executor({
      results: new Results(this.#client, session),
      powers: this.#powers,
      context: (...given) => this.#context(...given),
      describe: (tab) => this.tabs.one(tab),
      activeTab: () => this.#pages.active(),
      begin: (tab, action, deadline) => this.#begin(tab, action, deadline),
      downloads: ({ id }, until) => this.#downloads.of(id, until),
      waits: (action, missing) => this.#inputs.waits(action, missing),
      log: (message, data) => this.log.warn("command", message, data),
    });
    this.line = new CommandLine(this.#client, this.identity, {
      connected: () => void this.#connected(),
      pairing: () => void this.#enter({ phase: "pairing" }),
      foreign: (problem) => void this.#enter({ phase: "foreign", ...(problem ? { holder: problem.message } : {}) }),
      lost: () => void this.#enter({ phase: "searching" }),
      refused: (error) => void this.#refused(error),
      command: (command) => void this.#executor.take(command),
      cancel: (id) => this.#executor.cancel(id),
    });
  }

  /** Answers a page of the extension; undefined: the message is for somebody else. */
  asked(
    message: Partial<AskTracking | AskPairing | AskFilm>,
  ): Promise<TrackingTold | PairingTold | FilmTold> | undefined {
    if (message.type === "gasoline-film") return this.#film(message as AskFilm);
    if (message.type === "gasoline-tracking") return this.#track(message as AskTracking);
    return message.type === "gasoline-pair" ? this.#pair(message as AskPairing) : undefined;
  }

  /** Reads what earlier lives left behind, and goes to work. */
  async start(): Promise<void> {
    const granted = (this.#granted = this.grants.refresh()); // at once: a page that opens before its scripts are registered has none
    await closeStorage();
    [this.#asked, this.#connection] = await Promise.all([loadDaemonSettings(), readConnection()]);
    this.#tellSalt(this.#asked.salt);
    this.#settings = await readSettings(); // not with the others: a change meanwhile must not be undone by them
    this.#settled = true;
    this.#tellSettings();
    this.ports.configure();
    await Promise.all([this.stale.load(), granted, this.tabs.load(), this.network.load()]);
    this.ports.recheck();
    await this.#showBadge();
    // Before the first command: one would find the debugger taken, or lose the film page that it just opened.
    await Promise.all([this.#executor.forgetOld(), this.debuggers.reclaim(), this.films.reclaim()]);
    this.line.ensure();
  }

  /** What acts stops: the user took the permission back. */
  #forbid(): void {
    this.#executor.forbid();
    this.films.forbid();
    this.ports.stop();
  }

  /** The user pressed the stop key: what acts stops, and nothing else may begin. */
  async stop(): Promise<void> {
    this.#forbid();
    await writeSettings(choose("off"));
  }

  /** The user pressed the key that marks what just happened in the tab in front: agents find it in their inbox. */
  async mark(): Promise<void> {
    const at = { t: Date.now(), mono: performance.now() };
    const tab = await this.#pages.active();
    if (tab === undefined) return;
    const { url, title } = await this.tabs.one(tab);
    const deadline = Date.now() + MARK_MS;
    const said =
      this.#connection.phase === "connected"
        ? "Marked for your agent."
        : "Marked: your agent sees it once the daemon is connected.";
    const sent = async (): Promise<void> => {
      // What led to the mark goes first: an agent that sees the mark sees that too.
      await this.#collect(tab, FLUSH_MS);
      this.#own.emit("marks", { tab, frame: 0, page_url: url }, { ...at, type: "user", label: title }, true);
      await this.#upload();
    };
    await Promise.all([
      sent(),
      this.#frames.call(tab, "toast", { text: said }, deadline).catch(() => undefined), // a page that is not granted shows nothing
    ]);
  }

  /** The user changed a setting. */
  async settingsChanged(): Promise<void> {
    const before = this.#settings;
    this.#settings = await readSettings();
    this.ports.configure();
    await this.#showBadge();
    if (!isOn(this.#settings)) {
      if (isOn(before)) this.#forbid();
    } else if (before.pilot !== this.#settings.pilot || before.pilotSites.join() !== this.#settings.pilotSites.join()) {
      await this.#recheck();
    }
    if (before.trace !== this.#settings.trace || before.traceSites.join() !== this.#settings.traceSites.join())
      await this.tracer.settingsChanged();
    if (before.port !== this.#settings.port) this.line.restart();
    this.#uploader.schedule(0);
  }

  /** The user changed what is granted. Gives the patterns that are new. */
  async grantsChanged(): Promise<string[]> {
    const added = await this.grants.refresh();
    this.ports.recheck();
    await this.#recheck();
    return added;
  }

  /** What agents may not reach any more stops. */
  async #recheck(): Promise<void> {
    await Promise.all([this.#executor.recheck(), this.films.recheck()]);
  }

  /** Time has passed: the line is kept open, and what is too old is forgotten. */
  async tick(): Promise<void> {
    this.line.ensure();
    await this.#executor.forgetOld();
  }

  /** A tab shows another address, or something loads in it. url is what it showed then, as far as Chrome says it. */
  async moved(tab: number, loads: boolean, url?: string): Promise<void> {
    if (loads) void this.films.came(tab);
    await this.films.moved(tab, url);
  }

  /** Something about tabs changed that the daemon wants to know. */
  tabsChanged(): void {
    this.#uploader.schedule(200);
  }

  /** Begins an action in a tab. The returned function ends it, and has what it caused sent. */
  #begin(tab: number, action: ActionId, deadline: number): () => void {
    this.#times.begin(tab, action.id);
    this.#inputs.open(action.id, tab, deadline);
    this.#downloads.open(action.id, tab);
    this.ports.action(tab, "begin", action);
    return () => {
      this.#times.end(tab, action.id);
      this.#inputs.close(action.id);
      this.#downloads.close(action.id);
      this.ports.action(tab, "end", action);
      if (!this.#flushed.delete(action.id)) void this.#flush(tab, FLUSH_MS);
    };
  }

  async #context(
    kind: CommandKind,
    tab: number,
    deadline: number,
    signal: AbortSignal,
    action?: ActionId,
    site?: string,
  ): Promise<Omit<Context, "elsewhere">> {
    if (action) signal.addEventListener("abort", () => this.#inputs.stop(action.id, signal.reason as CommandProblem));
    return {
      tab,
      deadline,
      signal,
      pages: this.#pages,
      performed: () => (action ? this.#inputs.performed(action.id) : undefined),
      part: () => (action ? this.#inputs.part(action.id) : undefined),
      offer: (files) => (action ? this.#inputs.offer(action.id, files) : undefined),
      frames: this.#frames.for(signal, action, site),
      ...this.#powers.guarded(kind, this.debuggers, this.#images, site),
      films: this.films,
      covered: this.#covers.covered,
      scripts: scriptRoutes((await readSettings()).scriptHosts),
      flush: (only, withinMS) => {
        if (action) this.#flushed.add(action.id);
        return this.#flush(only, withinMS);
      },
    };
  }

  async #flush(tab: number | undefined, withinMS: number): Promise<Flushed> {
    const flushed = await this.#collect(tab, withinMS);
    await this.#upload();
    return flushed;
  }

  /** Brings what the tab's documents (or all) captured so far to what waits for the daemon. */
  async #collect(tab: number | undefined, withinMS: number): Promise<Flushed> {
    const until = Date.now() + withinMS;
    const answered = await this.ports.flush(tab, withinMS);
    let late = true;
    const idle = this.#pipeline.idle(tab).then(() => (late = false));
    await within(withinMS, until, idle);
    return { ...answered, late };
  }

  async #upload(): Promise<void> {
    await this.#uploader.flush();
    await this.#uploader.settle();
  }

  /** Tells the daemon the user's choice of a tab, and learns which agents there are. */
  async #track({ use, release, agent }: AskTracking): Promise<TrackingTold> {
    try {
      if (this.#connection.phase !== "connected") return { problem: "The daemon is not connected." };
      if (use !== undefined) await this.#uploader.flush(); // the daemon takes a tab that it has heard of
      const wish: Tracking = { session: await this.identity.session() };
      if (use !== undefined) wish.use = use;
      if (release !== undefined) wish.release = release;
      if (agent !== undefined) wish.agent = agent;
      const response = await this.#client.post("/tracking", wish, 5000);
      const { agents, insecure = "" } = (await response.json()) as TrackingAnswer;
      await this.#enter({ phase: "connected", agents, insecure });
      return {};
    } catch (error) {
      return { problem: error instanceof Refused ? error.message : "The daemon did not answer." };
    }
  }

  /** The user begins or ends a film of a tab. */
  async #film({ do: what, tab, sound = false }: AskFilm): Promise<FilmTold> {
    try {
      if (what === "end") {
        await this.films.stop(tab);
        return {};
      }
      if (this.#connection.phase !== "connected") return { problem: "The daemon is not connected." };
      const { url, title } = await this.tabs.one(tab);
      const { path } = await this.films.begin({ tab, url, title }, sound);
      return { path };
    } catch (error) {
      const told = error instanceof Refused || error instanceof CommandProblem;
      return { problem: told ? error.message : "The daemon did not answer." };
    }
  }

  /** Pairs by a code that the user pasted. */
  async #pair({ code: pasted }: AskPairing): Promise<PairingTold> {
    const code = parseCode(pasted);
    if (!code) return { problem: 'This is no code. "gasoline pair" prints one of 32 characters.' };
    try {
      const [port, session, name] = await Promise.all([
        this.identity.port(),
        this.identity.session(),
        this.identity.name(),
      ]);
      await this.identity.keepPairing({ port, ...(await this.#client.redeem(code, { session, name })) });
      this.line.restart();
      return {};
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async #connected(): Promise<void> {
    await this.#enter({ phase: "connected" });
    await this.#tell(undefined);
    this.#uploader.resume();
    this.log.info("connection", "connected to the daemon");
  }

  async #refused(error: Refused): Promise<void> {
    await this.#enter({ phase: "refused" });
    await this.#tell({ message: error.message, fix: error.fix, at: Date.now() });
  }

  async #uploadFailed(error: unknown): Promise<void> {
    if (error instanceof Refused) {
      await this.#tell({ message: error.message, fix: error.fix, at: Date.now() });
      this.log.warn("upload", error.message, { status: error.status, code: error.code });
    }
  }

  /** Keeps an error where the popup reads it, or forgets the last one. */
  async #tell(error: LastError | undefined): Promise<void> {
    await writeLastError(error);
    await this.#showBadge();
  }

  async #answered(answer: SyncAnswer): Promise<void> {
    const before = this.#asked;
    this.#asked = mergeDaemonSettings(before, answer.settings);
    if (JSON.stringify(before) !== JSON.stringify(this.#asked)) {
      await keepDaemonSettings(this.#asked);
      if (before.body_limit !== this.#asked.body_limit) this.ports.configure();
    }
    const { agents, insecure = "", server } = answer;
    await this.#enter({ phase: "connected", version: server.version, agents: agents ?? [], insecure });
  }

  async #enter(change: Pick<Connection, "phase"> & Partial<Connection>): Promise<void> {
    const { phase, since } = this.#connection;
    const next: Connection = {
      since: change.phase === phase ? since : Date.now(),
      port: await this.identity.port(),
      agents: this.#connection.agents,
      ...(change.phase === "connected" && this.#connection.version ? { version: this.#connection.version } : {}),
      ...(change.phase === "connected" && this.#connection.insecure ? { insecure: this.#connection.insecure } : {}),
      ...change,
    };
    if (JSON.stringify(next) === JSON.stringify(this.#connection)) return;
    this.#connection = next;
    await Promise.all([writeConnection(next), this.#showBadge()]);
  }

  async #showBadge(): Promise<void> {
    const error = await readLastError();
    const { pilot, pilotSites, scriptHosts } = this.#settings;
    const at = scriptHosts.filter((origin) => !isLoopback(origin) && mayActOn(this.#settings, origin));
    await showBadge(this.#connection, {
      pilot: pilot ? "all" : pilotSites.length,
      scripts: at.length > 0,
      problem: error !== undefined && !isOver(error, this.#connection),
    });
  }

  #pageConfig(): PageConfig | undefined {
    if (!this.#settled) return undefined;
    return { bodies: this.#settings.bodies, bodyLimit: this.#asked.body_limit };
  }

  async #wireSettings(): Promise<ExtensionSettings> {
    const { pilot, pilotSites, bodies, scriptHosts } = this.#settings;
    const problem = await readLastError();
    return {
      pilot,
      ...(pilotSites.length > 0 ? { pilot_sites: pilotSites } : {}),
      bodies,
      grants: [...this.grants.patterns],
      script_hosts: scriptHosts,
      user_scripts: userScriptsAvailable(),
      network_detail: this.network.shows,
      name: await this.identity.name(),
      ...(problem ? { last_error: problem.message } : {}),
    };
  }

  /** A tab shows a document. Where Chrome shows requests, its answer was seen before. */
  async #showed(tab: number, document: string): Promise<void> {
    await this.network.load();
    if (!this.network.shows) await this.tabs.shows(tab, document);
  }

  #isDaemon(url: string): boolean {
    return url.startsWith(`http://127.0.0.1:${this.#connection.port}/`);
  }

  #pageURL(tab: number, frame: number): string {
    const documents = this.ports.documents(tab);
    return (documents.find((at) => at.frame === frame) ?? documents.find((at) => at.frame === 0))?.page_url ?? "";
  }
}
