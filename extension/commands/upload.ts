import type { ActResult, File, FileSeen, Uploaded } from "@gasoline/schema/commands";
import { misfits } from "../messages/accept.ts";
import type { Settled, UploadTarget } from "../messages/agent.ts";
import { type Step, step, steps } from "./act.ts";
import type { Context, Send } from "./context.ts";
import { frameId, isolatedWorld } from "./frame_id.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** A click opens its file chooser within so long, ms, or opens none. */
const CHOOSER_MS = 1500;

/**
 * Puts files into a page: into a file input, onto a drop zone, or into the file chooser that a click opens. Small files
 * come with their bytes and are put in without the debugger where that is possible; the browser reads the others itself.
 */
export const upload: Handler<"upload"> = ({ files, submit, api_endpoint: endpoint, name, ...target }, context) =>
  steps(context, async () => {
    if (endpoint) {
      const at = { endpoint, name: name || "file", files, frame: target.frame ?? "main" };
      return step(context, "post_files", at);
    }
    const { frames, tab, deadline } = context;
    const found = await frames.call(tab, "look_upload", { ...target, count: files.length }, deadline);
    const done = await put(context, found, files);
    if (!submit) return done;
    try {
      const sent = await step(context, "submit", { ref: found.ref });
      const { upload: put } = done.result;
      return {
        settled: sent.settled,
        result: { ...done.result, ...(put ? { upload: { ...put, submitted: true } } : {}) },
      };
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      throw new CommandProblem(
        error.code,
        `${error.message} The page has the files, the form was not sent.`,
        error.more,
      );
    }
  });

async function put(context: Context, found: UploadTarget, files: File[]): Promise<Step> {
  const { ref, how } = found;
  const inline = files.every((file) => file.inline);
  if (how === "button") return choose(context, found, files, () => step(context, "click", { ref, trusted: "always" }));
  if (inline) return step(context, "put_files", { ref, files });
  if (how === "input") return choose(context, found, files, (send, frameId) => pick(context, ref, send, frameId));
  context.offer(files.map(({ path }) => path));
  return step(context, "drop_files", { ref, files });
}

/** Has an input open its file chooser, for which browsers ask that the user acted: the debugger says so. */
async function pick({ frames, tab, deadline }: Context, ref: string, send: Send, frameId: string): Promise<Step> {
  await send("Runtime.evaluate", { expression: "0", userGesture: true, contextId: await isolatedWorld(send, frameId) });
  await frames.call(tab, "pick_files", { ref }, deadline);
  return { result: { match_count: 1, match_strategy: "ref" }, settled: { changes: [], busy: [] } };
}

/** Chrome's name for a frame. Choosers of a frame in a process of its own would be shown to the user. */
async function idOf({ frames, tab }: Context, frame: string, send: Send): Promise<string> {
  const { path } = await frames.find(tab, frame);
  const id = await frameId(send, path);
  if (id !== undefined) return id;
  throw new CommandProblem(
    "frame_not_reachable",
    "What asks for a file is in a frame that runs in a process of its own: only a file input or a drop zone takes files there, of 2 MB together.",
  );
}

interface Chooser {
  frameId: string;
  mode: "selectSingle" | "selectMultiple";
  /** Missing where the page asks by a function, not by an input. */
  backendNodeId?: number;
}

/** Opens a file chooser, which the browser then does not show, and answers it. */
async function choose(
  context: Context,
  { frame }: UploadTarget,
  files: readonly File[],
  open: (send: Send, frameId: string) => Promise<Step>,
): Promise<Step> {
  const { debug, frames, tab, deadline } = context;
  return debug.run(tab, deadline, async (send) => {
    let opened: (chooser: Chooser) => void = () => undefined;
    const chooser = new Promise<Chooser>((resolve) => (opened = resolve));
    const at = { frame: frame === "" ? "main" : frame };
    const id = await idOf(context, at.frame, send);
    // Another frame of the same process, of whatever origin, may ask at the same moment: the files are not for it.
    const off = debug.on(tab, "Page.fileChooserOpened", (params) => {
      if ((params as Chooser).frameId === id) opened(params as Chooser);
    });
    await send("Page.enable");
    await send("Page.setInterceptFileChooserDialog", { enabled: true });
    try {
      const before = await open(send, id);
      const asked = await soon(chooser);
      if (!asked) throw new CommandProblem("no_file_chooser", "Nothing asked for a file.");
      if (asked.backendNodeId === undefined)
        throw new CommandProblem(
          "no_file_chooser",
          "The page asks for files by showOpenFilePicker, which only the user answers.",
        );
      if (asked.mode === "selectSingle" && files.length > 1)
        throw new CommandProblem("not_multiple", `The page asks for one file, and ${files.length} were given.`);
      await frames.call(tab, "begin", { ...at, expected: { type: "files" } }, deadline);
      let seen: Uploaded;
      try {
        seen = await answer(send, asked.frameId, asked.backendNodeId, files);
      } catch (error) {
        frames.call(tab, "end", at, Date.now() + CHOOSER_MS).catch(() => undefined);
        throw error;
      }
      const settled = await frames
        .call(tab, "settle", at, deadline)
        .catch((): Settled => ({ changes: [], busy: [], leaving: true }));
      const result: ActResult = { ...before.result, upload: seen };
      return { result, settled: { ...settled, changes: [...before.settled.changes, ...settled.changes].slice(0, 8) } };
    } finally {
      off();
      await send("Page.setInterceptFileChooserDialog", { enabled: false }).catch(() => undefined);
    }
  });
}

async function soon(chooser: Promise<Chooser>): Promise<Chooser | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), CHOOSER_MS);
  });
  return Promise.race([chooser, late]).finally(() => clearTimeout(timer));
}

/** What the page has of the files: noted before it hears of them, for it may empty the input at once. */
interface Seen {
  files: FileSeen[];
  left: number;
  accept: string;
}

/** Gives files to an input, and reads what the input had of them. */
async function answer(send: Send, frameId: string, backendNodeId: number, files: readonly File[]): Promise<Uploaded> {
  const contextId = await isolatedWorld(send, frameId);
  const { object } = (await send("DOM.resolveNode", { backendNodeId, executionContextId: contextId })) as {
    object: { objectId: string };
  };
  const call = async (run: () => unknown): Promise<unknown> => {
    const { result } = (await send("Runtime.callFunctionOn", {
      objectId: object.objectId,
      functionDeclaration: run.toString(),
      returnByValue: true,
    })) as { result: { value?: unknown } };
    return result.value;
  };
  await call(noteFiles);
  try {
    await send("DOM.setFileInputFiles", { files: files.map(({ path }) => path), backendNodeId });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/not allowed/i.test(message)) throw new CommandProblem("file_access_off", "Chrome refused to read the file.");
    throw error;
  }
  const seen = (await call(readFiles)) as Seen;
  const wrong = files.find(({ size }, i) => seen.files[i]?.size !== size);
  if (wrong || seen.files.length !== files.length)
    throw new CommandProblem(
      "status_mismatch",
      `The browser cannot read ${wrong?.name ?? "a file"} as Gasoline can: ${seen.files.length} files came in, of other sizes.`,
    );
  const not = misfits(seen.accept, files);
  return {
    route: "chooser",
    files: seen.files,
    ...(not.length > 0 ? { accept: seen.accept.slice(0, 300), not_accepted: not } : {}),
    ...(seen.left === 0 ? { emptied: true } : {}),
  };
}

// The two functions below travel into the page as text and use nothing outside of themselves.
interface World {
  gasolineSeen?: FileSeen[] | undefined;
}

function noteFiles(this: HTMLInputElement | void): void {
  const input = this as HTMLInputElement;
  const note = (): void => {
    (globalThis as World).gasolineSeen ??= Array.from(input.files ?? [], ({ name, size, type }) => ({
      name,
      size,
      type,
    }));
  };
  (globalThis as World).gasolineSeen = undefined;
  input.addEventListener("input", note, { once: true, capture: true });
  input.addEventListener("change", note, { once: true, capture: true });
}

function readFiles(this: HTMLInputElement | void): Seen {
  const input = this as HTMLInputElement;
  const now = Array.from(input.files ?? [], ({ name, size, type }) => ({ name, size, type }));
  const files = (globalThis as World).gasolineSeen ?? now;
  return { files, left: now.length, accept: input.accept };
}
