import { type CommandKind, MUTATING, POWER } from "@gasoline/schema/commands";
import type { Context, Dialog } from "./context.ts";
import { CommandProblem } from "./problem.ts";

/** Characters of a dialog's text that an answer tells. */
const MAX_MESSAGE = 1000;

/** Says whether a kind asks nothing of the tab's documents, or takes the tab away from them. */
const isBeside = (kind: CommandKind): boolean => !["looks", "acts"].includes(POWER[kind]) || kind === "load_state";

/** Acts that nobody is told of before they are done. */
const UNTOLD: ReadonlySet<CommandKind> = new Set([
  "execute_js",
  "save_state",
  "clipboard_read",
  "clipboard_write",
  "draw_mode_start",
  "screen_recording_start",
  "activate_tab",
]);

/** An act that was ended by a dialog has so long, ms, to say what was done by then; most say it at once. */
const LAST_WORDS_MS = 1500;

/**
 * Does the work of a command in a tab, unless an alert, confirm or prompt holds its documents: then dialog_open is
 * thrown at once. One that opens meanwhile ends the work by end, in the documents, too: whoever closes it later finds
 * nothing that goes on. What an act had done by then is its result; without anything that was done it is dialog_open.
 */
export async function unlessDialog<T>(
  kind: CommandKind,
  context: Context,
  end: (reason: CommandProblem) => void,
  work: () => Promise<T>,
): Promise<T> {
  const { pages, tab } = context;
  if (tab === 0 || isBeside(kind)) return work();
  const open = pages.dialog(tab);
  if (open) throw problem(open, MUTATING.has(kind) ? NOTHING_DONE : "");
  const { opened, stop } = pages.nextDialog(tab);
  const done = work();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const first = await Promise.race([done.then((value) => ({ value })), opened]);
    if ("value" in first) return first.value;
    const ended = problem(first);
    end(ended);
    if (!MUTATING.has(kind)) throw ended;
    if (UNTOLD.has(kind)) throw problem(first, UNKNOWN_DONE);
    const silent = new Promise<never>((_resolve, reject) => {
      // A page tells before it acts, so that was heard long ago.
      timer = setTimeout(
        () => reject(problem(first, context.performed() ? UNKNOWN_DONE : NOTHING_DONE)),
        LAST_WORDS_MS,
      );
    });
    const result = await Promise.race([done, silent]).catch((error: unknown) => {
      throw error === ended && !context.performed() ? problem(first, NOTHING_DONE) : error;
    });
    const { type, message } = first;
    return { ...result, dialog: { type, message }, overlay_warning: inWords(first) };
  } finally {
    stop();
    clearTimeout(timer);
    done.catch(() => undefined); // What the page says once the dialog is closed has no reader.
  }
}

/** What a command says of the native dialogs that it opens. */
interface Answer {
  dialog?: string;
  dialog_text?: string;
}

/**
 * Does the work of a command, and answers the native dialogs that it opens as the command says. The debugger has to be
 * there before they open, so nobody can answer one that is open already. may throws for a document, be it an iframe's, whose
 * address is not of the site that the command is for: there a dialog is neither told nor answered.
 */
export async function answering<T>(
  kind: CommandKind,
  { dialog: how = "accept", dialog_text: promptText = "" }: Answer,
  { tab, deadline, debug }: Context,
  may: (url: string) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  return debug.run(tab, deadline, async (send) => {
    let last: object | undefined;
    let stay = (_problem: CommandProblem): void => {};
    const stays = new Promise<never>((_resolve, reject) => (stay = reject));
    stays.catch(() => undefined); // it may come when nobody waits any more
    const off = debug.on(tab, "Page.javascriptDialogOpening", (opening) => {
      const { type, message, url } = opening as Dialog & { url: string };
      // Whether a page is left is asked by the page before.
      const allowed = type === "beforeunload" ? Promise.resolve() : may(url);
      allowed.then(() => {
        last = { type, message: message.slice(0, MAX_MESSAGE), answer: how };
        send("Page.handleJavaScriptDialog", { accept: how === "accept", promptText }).catch(() => undefined);
      }, stay);
      // No event of the browser says that a page was not left.
      if (type === "beforeunload" && how === "dismiss" && isBeside(kind)) stay(stayed());
    });
    try {
      await send("Page.enable");
      const result = await Promise.race([work(), stays]);
      return last && typeof result === "object" ? { ...result, dialog: last } : result;
    } finally {
      off();
      // The tab may be closed, or held by a dialog that the user answers.
      await Promise.race([send("Page.disable"), stays]).catch(() => undefined);
    }
  });
}

/** Whether the params of a command say what is to be answered. A text is an answer that accepts. */
export function answers(params: unknown): params is Answer {
  const { dialog, dialog_text } = (params ?? {}) as Answer;
  return dialog !== undefined || dialog_text !== undefined;
}

const stayed = (): CommandProblem =>
  new CommandProblem(
    "navigation_failed",
    'The page asked whether it may be left, and the answer was to stay, as dialog:"dismiss" says. It is as it was.',
  );

const NOTHING_DONE = "Nothing was done.";
const UNKNOWN_DONE = "What was done by then is not known: look at the page before you repeat it.";

const problem = (dialog: Dialog, done = ""): CommandProblem =>
  new CommandProblem("dialog_open", `${inWords(dialog)} ${done}`.trimEnd());

const inWords = ({ type, message }: Dialog): string =>
  `The page shows a native ${type} dialog${message ? ` that says "${message}"` : ""}. Until the user answers it, the page does nothing; navigate leaves it. click, key_press, execute_js, navigate, refresh, back and forward answer what they open, with dialog:"accept" or "dismiss".`;
