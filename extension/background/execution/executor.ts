import { type CommandKind, type Download, MUTATING, NEEDS_TAB, POWER, type Toast } from "@gasoline/schema/commands";
import type { Command, CommandError, Result, Tab } from "@gasoline/schema/wire";
import type { Context, Frames } from "../../commands/context.ts";
import { CommandProblem, pageLeft, problemFrom } from "../../commands/problem.ts";
import { isCommandKind, parseParams } from "../../commands/params.ts";
import { answering, answers, unlessDialog } from "../../commands/dialog.ts";
import { HANDLERS } from "../../commands/registry.gen.ts";
import type { Results } from "../daemon/results.ts";
import type { ActionId } from "../../messages/content.ts";
import { unlessAborted } from "./deadline.ts";
import { type Powers, elsewhere, pilotOff } from "./powers.ts";
import { session } from "../../state/browser.ts";
import { originOf } from "../../state/origins.ts";
import { checkedURL } from "../../commands/navigate.ts";

const STARTED = "started:";

/** Marks of commands that were begun are kept this long; the daemon leases nothing again after it. */
const KEEP_STARTED_MS = 600_000;

/** What the executor needs from the parts around it. */
export interface ExecutorParts {
  results: Results;
  powers: Powers;
  /** action is there when the command acts, site when it acts in a page, which has to stay of it. */
  context: (
    kind: CommandKind,
    tab: number,
    deadline: number,
    signal: AbortSignal,
    action?: ActionId,
    site?: string,
  ) => Promise<Omit<Context, "elsewhere">>;
  describe: (tab: number) => Promise<Tab>;
  activeTab: () => Promise<number | undefined>;
  /** An action begins in the tab. The returned function ends it. */
  begin: (tab: number, action: ActionId, deadline: number) => () => void;
  /** What the action downloads, as far as it is known by then (epoch ms). */
  downloads: (action: ActionId, until: number) => Promise<Download[]>;
  /** What kept an action from being made when its page was last heard of, or missing; undefined: it was made. */
  waits: (action: string, missing?: CommandError) => CommandError | undefined;
  log: (message: string, data: unknown) => void;
}

/**
 * Carries out commands, each at most once: before one begins that is written down, and one that comes
 * again with such a mark is answered "interrupted". Commands that act in a tab wait for each other;
 * those that only read run at once.
 */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #running = new Map<string, Running>(); // by id
  readonly #queues = new Map<number, Promise<unknown>>(); // by tab: the end of its queue of acts

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** Takes a command as it was leased. Its answer goes to the daemon; nothing is thrown. */
  async take(command: Command): Promise<void> {
    if (this.#running.has(command.id)) return;
    const control = new AbortController();
    this.#running.set(command.id, { control, kind: command.kind, begun: undefined });
    // Without the abort a handler would go on to act after its caller was told that it timed out.
    const late = setTimeout(() => {
      const missing = this.#running.get(command.id)?.frames?.missing;
      const waits = this.#parts.waits(command.correlation_id, missing?.toWire());
      control.abort(waits ? problemFrom(waits) : new CommandProblem("timeout", SILENT));
    }, command.timeout_ms - 50);
    try {
      await this.#answer({ ...command, deadline: Date.now() + command.timeout_ms, signal: control.signal });
    } finally {
      clearTimeout(late);
      this.#running.delete(command.id);
    }
  }

  /** Ends a command for which nobody waits any more: what has not been done by now is not done. */
  cancel(id: string): void {
    this.#running.get(id)?.control.abort(new CommandProblem("cancelled", "Nobody waits for this command any more."));
  }

  /** The user switched browser control off: what acts, or waits for its turn to, stops. */
  forbid(): void {
    for (const { control, kind } of this.#running.values()) {
      if (isCommandKind(kind) && MUTATING.has(kind)) control.abort(pilotOff());
    }
  }

  /** The user changed what agents may reach: what is not allowed any more stops. */
  async recheck(): Promise<void> {
    const checks = [...this.#running.values()].map(async ({ control, kind, begun }) => {
      if (!isCommandKind(kind) || begun === undefined) return; // what waits is checked when its turn comes
      await this.#parts.powers
        .begins(kind, begun.params, begun.tab)
        .catch((problem: unknown) => control.abort(problem));
    });
    await Promise.all(checks);
  }

  /** Forgets marks of commands that nobody can send again. */
  async forgetOld(): Promise<void> {
    const stored = await session.readAll();
    const old = Object.entries(stored)
      .filter(([key, value]) => key.startsWith(STARTED) && Date.now() - Number(value) > KEEP_STARTED_MS)
      .map(([key]) => key);
    if (old.length > 0) await session.remove(old);
  }

  async #answer(command: Leased): Promise<void> {
    const began = Date.now();
    const { results } = this.#parts;
    const identity = { id: command.id, correlation_id: command.correlation_id };
    const key = STARTED + command.id;
    if ((await session.read(key)) !== undefined) {
      const kept = await results.undelivered(command.id);
      await results.send(kept ?? { ...identity, status: "interrupted", error: INTERRUPTED }, command.deadline);
      return;
    }
    await session.write({ [key]: began });
    const result: Result = { ...identity, ...(await this.#execute(command)), elapsed_ms: Date.now() - began };
    await results.send(result, command.deadline);
  }

  async #execute(command: Leased): Promise<Pick<Result, "status" | "result" | "error" | "effective_tab">> {
    let tab = command.tab;
    try {
      const kind = await this.#check(command);
      const params = parseParams(kind, command.params);
      // The page answers by then; some time is needed to bring its answer home, more where it was waited for long.
      const deadline = command.deadline - Math.min(Math.max(300, command.timeout_ms / 6), 1000, command.timeout_ms / 2);
      if (tab === 0 && NEEDS_TAB.has(kind)) tab = (await this.#parts.activeTab()) ?? 0;
      if (tab === 0 && NEEDS_TAB.has(kind)) throw new CommandProblem("no_tab", "There is no tab that can be used.");
      const work = () => this.#run(kind, params, tab, deadline, command);
      const result = await (MUTATING.has(kind) && tab !== 0
        ? unlessAborted(command.signal, this.#inTurn(tab, work))
        : work());
      const landed = tabOf(result) ?? tab;
      return { status: "complete", result, ...(await this.#where(landed)) };
    } catch (error) {
      const problem = toWire(error);
      if (problem.code === "internal") this.#parts.log(problem.message, { kind: command.kind });
      return { status: STATUS[problem.code] ?? "error", error: problem, ...(await this.#where(tab)) };
    }
  }

  async #check(command: Leased): Promise<CommandKind> {
    const { kind } = command;
    if (!isCommandKind(kind)) throw new CommandProblem("unknown_mode", `This extension knows no command "${kind}".`);
    if (MUTATING.has(kind)) await this.#parts.powers.on();
    this.#waited(command);
    return kind;
  }

  /** Throws where nobody waits for a command any more, or it has no time left. */
  #waited(command: Leased): void {
    command.signal.throwIfAborted();
    if (Date.now() >= command.deadline) {
      throw new CommandProblem("timeout", "The command's turn came after its deadline. Nothing was done.");
    }
  }

  async #run<K extends CommandKind>(
    kind: K,
    params: unknown,
    tab: number,
    deadline: number,
    command: Leased,
  ): Promise<unknown> {
    // It may have waited for its turn, and the tab may show another page by now.
    const { powers } = this.#parts;
    await powers.begins(kind, params, tab, command.site);
    const site = POWER[kind] === "acts" ? (command.site ?? (await powers.site(tab))) : undefined;
    this.#waited(command);
    const running = this.#running.get(command.id);
    if (running) running.begun = { params, tab };
    const action = MUTATING.has(kind) ? { id: command.correlation_id, client: command.client ?? "agent" } : undefined;
    const ends: (() => void)[] = [];
    const begin = (at: number): void => {
      if (action && at !== 0) ends.push(this.#parts.begin(at, action, deadline));
    };
    const over = new AbortController();
    const signal = AbortSignal.any([command.signal, over.signal]);
    const context: Context = {
      ...(await this.#parts.context(kind, tab, deadline, signal, action, site)),
      elsewhere: (other) => {
        begin(other);
        return { ...context, tab: other };
      },
    };
    command.signal.throwIfAborted();
    if (running) running.frames = context.frames;
    const handler = HANDLERS[kind] as unknown as (params: unknown, context: Context) => Promise<unknown>;
    begin(tab);
    if (action && tab !== 0) {
      const { reason } = params as Toast;
      // A toast never delays the command, and a page that cannot show it is acted on all the same.
      if (reason && !context.pages.dialog(tab))
        context.frames.call(tab, "toast", { text: reason }, deadline).catch(() => undefined);
    }
    try {
      const work = (): Promise<unknown> => handler(params, context);
      const answered = answers(params) && tab !== 0 && !context.pages.dialog(tab);
      const result = await unlessAborted(
        command.signal,
        answered
          ? answering(kind, params, context, await this.#dialogsOf(kind, params, tab, site), work)
          : unlessDialog(kind, context, (reason) => over.abort(reason), work),
      );
      return action ? await this.#withDownloads(result, action, deadline) : result;
    } catch (error) {
      throw (await this.#isElsewhere(error, kind, tab, command)) ? pageLeft() : error;
    } finally {
      for (const end of ends) end();
    }
  }

  /** Says whether a command is refused since its tab went on to a site that is not granted: the page that it was for was. */
  async #isElsewhere(error: unknown, kind: CommandKind, tab: number, { signal }: Leased): Promise<boolean> {
    const refused = error instanceof CommandProblem && error.code === "origin_not_allowed" && !signal.aborted;
    if (!refused || tab === 0 || !/^(looks|acts)$/.test(POWER[kind])) return false;
    return this.#parts.powers.may(tab, "looks").then(
      () => false,
      (problem: unknown) => problem instanceof CommandProblem && problem.code === error.code,
    );
  }

  /**
   * Throws where a command may not answer a dialog of a document with this address: one that is not of the site that it is
   * for. That is where navigate goes, or else the page that the tab shows when it begins.
   */
  async #dialogsOf(
    kind: CommandKind,
    params: unknown,
    tab: number,
    site: string | undefined,
  ): Promise<(address: string) => Promise<void>> {
    const { powers } = this.#parts;
    const { url = "", new_tab } = params as { url?: string; new_tab?: boolean };
    const goes = kind === "navigate" && !new_tab;
    const own = goes ? originOf(checkedURL(url)) : (site ?? (await powers.site(tab)));
    return async (address) => {
      await powers.may(tab, "acts", own);
      if (originOf(address) !== own) throw elsewhere(own, originOf(address));
    };
  }

  /** Adds to what an act came to the files that it has the browser save. */
  async #withDownloads(result: unknown, action: ActionId, deadline: number): Promise<unknown> {
    if (typeof result !== "object" || result === null || !("receipt" in result)) return result;
    const downloads = await this.#parts.downloads(action, deadline);
    return downloads.length > 0 ? { ...result, downloads } : result;
  }

  #inTurn<T>(tab: number, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(tab) ?? Promise.resolve();
    const turn = before.then(work, work);
    const tail = turn.catch(() => undefined);
    this.#queues.set(tab, tail);
    void tail.then(() => {
      if (this.#queues.get(tab) === tail) this.#queues.delete(tab);
    });
    return turn;
  }

  async #where(tab: number): Promise<{ effective_tab?: Tab }> {
    if (tab === 0) return {};
    try {
      return { effective_tab: await this.#parts.describe(tab) };
    } catch {
      return {}; // It is gone, and the result says so.
    }
  }
}

/** A command as it was taken. */
interface Leased extends Command {
  /** Epoch ms: the answer is out by then. */
  deadline: number;
  /** Fires when nobody waits for the command any more. */
  signal: AbortSignal;
}

/** A command that was taken and has not been answered. */
interface Running {
  control: AbortController;
  kind: string;
  /** In which tab its turn has come, with which params. */
  begun: { params: unknown; tab: number } | undefined;
  /** What it asks the tab's documents through. */
  frames?: Frames;
}

/** Problems that are states of their own. */
const STATUS: Readonly<Record<string, string>> = { timeout: "timeout", cancelled: "cancelled" };

/** A page that shows an alert() answers nothing until the user closes it; the agent is not kept waiting. */
const SILENT = "The page did not answer in time. It may be busy, or a dialog may be open.";

const INTERRUPTED: CommandError = {
  code: "interrupted",
  message:
    "The browser stopped the extension while the command ran. It may have been carried out in part; look before you repeat it.",
};

function toWire(error: unknown): CommandError {
  if (error instanceof CommandProblem) return error.toWire();
  const message = error instanceof Error ? error.message : String(error);
  if (/No tab with id|Tabs cannot be edited|No frame with id/.test(message)) {
    return { code: "tab_gone", message: "The tab is closed, or its page was left." };
  }
  return { code: "internal", message };
}

function tabOf(result: unknown): number | undefined {
  const tab = (result as { tab?: unknown } | undefined)?.tab;
  return typeof tab === "number" && tab !== 0 ? tab : undefined;
}
