import type { ActResult, File as Given, Uploaded } from "@gasoline/schema/commands";
import { misfits } from "../../messages/accept.ts";
import type { Acted, AgentOps } from "../../messages/agent.ts";
import { EDIT_KEY } from "../../messages/keys.ts";
import type { ready } from "../actionable.ts";
import type { outcome } from "../act/outcome.ts";
import type { acts } from "../act/scope.ts";
import type { candidate, inWords, isDisabled } from "../describe.ts";
import type { Environment } from "../environment.ts";
import type { AgentProblem } from "../problem.ts";
import type { everywhere } from "../shadow.ts";
import type { resolve } from "../target.ts";
import type { retry } from "../waiting.ts";

// This is a script of its own, loaded on first use: of the agent's modules it uses types only, and is lent the rest.

/** What the agent of the document lends. */
export interface Tools {
  ready: typeof ready;
  outcome: typeof outcome;
  acts: typeof acts;
  candidate: typeof candidate;
  inWords: typeof inWords;
  isDisabled: typeof isDisabled;
  AgentProblem: typeof AgentProblem;
  everywhere: typeof everywhere;
  resolve: typeof resolve;
  retry: typeof retry;
}

/** The operations that this script carries out. */
export type Later = "look_upload" | "put_files" | "drop_files" | "post_files" | "pick_files" | "clipboard";

type Operations = {
  [K in Later]: (
    params: AgentOps[K]["params"],
    environment: Environment,
    tools: Tools,
  ) => AgentOps[K]["result"] | Promise<AgentOps[K]["result"]>;
};

/** Inputs among which an agent is to choose. */
const MAX_CANDIDATES = 8;

/** Media types that are told of what lies on the clipboard. */
const MAX_TYPES = 20;

/** Characters of an endpoint's answer that are told. */
const MAX_ANSWER = 2000;

/** So long before the deadline, ms, an endpoint that has not answered is given up, so that this can still be told. */
const ANSWER_MS = 150;

/** Characters of an accept attribute that are told. */
const MAX_ACCEPT = 300;

const isFileInput = (element: Element | null): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.type === "file";

const BUTTONS =
  "button, a, summary, [role=button], [role=link], [role=menuitem], input[type=button], input[type=submit], input[type=image]";

/** Finds what takes files for an element. */
function look(
  element: Element,
  count: number,
  refs: Environment["refs"],
  tools: Tools,
): { element: Element; how: "input" | "drop" | "button" } {
  const label = element.closest("label");
  const own = isFileInput(element) ? element : isFileInput(label?.control ?? null) ? label?.control : undefined;
  const inside = own ? [own] : tools.everywhere("input[type=file]", element);
  if (inside.length > 1)
    throw problem(tools, "ambiguous_target", `${inside.length} file inputs are in ${tools.inWords(element)}.`, {
      candidates: inside.slice(0, MAX_CANDIDATES).map((at) => tools.candidate(at, refs)),
    });
  const [input] = inside;
  if (isFileInput(input ?? null)) {
    const found = input as HTMLInputElement;
    if (tools.isDisabled(found)) throw problem(tools, "not_actionable", `${tools.inWords(found)} is disabled.`);
    if (count > 1 && !found.multiple)
      throw problem(tools, "not_multiple", `${tools.inWords(found)} takes one file, and ${count} were given.`);
    return { element: found, how: "input" };
  }
  return { element, how: element.matches(BUTTONS) ? "button" : "drop" };
}

/** Puts files into an input as a user's choice would. Says what the page had of them before it could do anything. */
function put(input: Element, given: readonly Given[], tools: Tools): Uploaded {
  if (!isFileInput(input)) throw problem(tools, "not_uploadable", `${tools.inWords(input)} is no file input any more.`);
  input.files = carried(given).files;
  const files = seenIn(input.files);
  if (files.length !== given.length)
    throw problem(tools, "status_mismatch", `${tools.inWords(input)} has ${files.length} files of ${given.length}.`);
  const uploaded: Uploaded = { route: "input", files, ...accepted(input, given) };
  tools.acts().dispatch(input, new Event("input", { bubbles: true, composed: true }));
  tools.acts().dispatch(input, new Event("change", { bubbles: true }));
  return uploaded;
}

/** Drops files onto an element as a drag from outside would. */
function drop(onto: Element, point: { x: number; y: number }, given: readonly Given[], tools: Tools): Uploaded {
  const dataTransfer = carried(given);
  const drag = (type: string): boolean =>
    tools.acts().dispatch(
      onto,
      new DragEvent(type, {
        bubbles: true,
        cancelable: type !== "dragleave",
        composed: true,
        clientX: point.x,
        clientY: point.y,
        dataTransfer,
      }),
    );
  drag("dragenter");
  // Whoever takes a drop prevents the default of the dragging over it.
  if (drag("dragover")) {
    drag("dragleave");
    throw refused(onto, tools);
  }
  drag("drop");
  return { route: "drop", files: seenIn(dataTransfer.files) };
}

/** Watches a drag that the browser does: whether the page takes it, and what it is given. */
function watch(onto: Element, tools: Tools): { check(): void; seen(): Uploaded; stop(): void } {
  let over: Event | undefined;
  let files: Uploaded["files"] = [];
  const hears = (event: Event): void => {
    over = event;
  };
  const drops = (event: Event): void => {
    files = seenIn((event as DragEvent).dataTransfer?.files ?? []);
  };
  // What the page does not take the browser would open instead of the page.
  const stays = (event: Event): void => event.preventDefault();
  window.addEventListener("dragover", hears, true);
  window.addEventListener("drop", drops, true);
  window.addEventListener("drop", stays);
  return {
    check: () => {
      if (!over?.defaultPrevented) throw refused(onto, tools);
    },
    seen: () => ({ route: "drop", files }),
    stop: () => {
      window.removeEventListener("dragover", hears, true);
      window.removeEventListener("drop", drops, true);
      window.removeEventListener("drop", stays);
    },
  };
}

const refused = (onto: Element, tools: Tools): Error =>
  problem(
    tools,
    "not_uploadable",
    `${tools.inWords(onto)} is no file input, holds none, and takes no files that are dragged over it.`,
  );

function carried(given: readonly Given[]): DataTransfer {
  const data = new DataTransfer();
  for (const { name, type = "", modified, data: base64 = "" } of given) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    data.items.add(new File([bytes], name, { type, ...(modified === undefined ? {} : { lastModified: modified }) }));
  }
  return data;
}

const seenIn = (files: FileList | readonly File[]): Uploaded["files"] =>
  [...files].map(({ name, size, type }) => ({ name, size, ...(type ? { type } : {}) }));

function accepted(input: HTMLInputElement, given: readonly Given[]): Pick<Uploaded, "accept" | "not_accepted"> {
  const not = misfits(input.accept, given);
  return not.length > 0 ? { accept: input.accept.slice(0, MAX_ACCEPT), not_accepted: not } : {};
}

/** Finds what takes files for a target; a file input may be hidden, as those behind buttons are. */
const lookUpload: Operations["look_upload"] = async ({ count, ...target }, { refs, deadline, frame }, tools) => {
  const { element } = await tools.retry(deadline, () => tools.resolve(target, refs));
  const found = look(element, count, refs, tools);
  return { ref: refs.refOf(found.element), how: found.how, frame };
};

/** Puts files into an input, or drops them onto anything else. */
const putFiles: Operations["put_files"] = async ({ ref, files }, environment, tools): Promise<Acted> => {
  const { refs, deadline, act } = environment;
  const element = refs.elementOf(ref);
  if (isFileInput(element)) {
    const result = tools.outcome({ element, count: 1, strategy: "ref" }, environment);
    act.tell(result);
    const upload = act.perform(() => put(element, files, tools));
    act.afterwards(() => {
      if (element.files?.length === 0) upload.emptied = true;
    });
    return { result: Object.assign(result, { upload }) };
  }
  const at = await tools.ready({ ref }, refs, { enabled: true, hit: true }, deadline);
  const result = tools.outcome(at, environment);
  act.tell(result);
  return { result: Object.assign(result, { upload: act.perform(() => drop(at.element, at.point, files, tools)) }) };
};

/** Drops files onto an element by the browser's own dragging, which reads them itself. */
const dropFiles: Operations["drop_files"] = async ({ ref, files }, environment, tools): Promise<Acted> => {
  const { refs, deadline, act } = environment;
  await act.attach();
  const found = await tools.ready({ ref }, refs, { enabled: true, hit: true }, deadline);
  const result: ActResult = { ...tools.outcome(found, environment), trusted: true };
  const { point } = found;
  const drag = (step: "over" | "drop" | "cancel"): Promise<boolean> =>
    act.send({ type: "drag", step }, point, { type: "pointer", ...point, press: false });
  const watched = watch(found.element, tools);
  try {
    await drag("over");
    try {
      watched.check();
    } catch (error) {
      await drag("cancel");
      throw error;
    }
    act.tell(result);
    await drag("drop");
    const upload = watched.seen();
    const read = upload.files.length === files.length && upload.files.every(({ size }, i) => size === files[i]?.size);
    if (!read)
      throw problem(
        tools,
        "status_mismatch",
        `${tools.inWords(found.element)} got other files than were given, or none.`,
      );
    return { result: Object.assign(result, { upload }) };
  } finally {
    watched.stop();
  }
};

/**
 * Posts files as a form of the page would, with its cookies. It goes to the document's own origin only, and follows nothing
 * that leads elsewhere.
 */
const postFiles: Operations["post_files"] = async ({ endpoint, name, files }, { deadline }, tools) => {
  const url = URL.canParse(endpoint, document.baseURI) ? new URL(endpoint, document.baseURI) : undefined;
  if (!url) throw problem(tools, "invalid_param", `api_endpoint is no address: ${endpoint.slice(0, 200)}`);
  if (url.origin !== location.origin)
    throw problem(tools, "other_origin", `Files are posted to ${location.origin} only, not to ${url.origin}.`);
  const carriedFiles = carried(files).files;
  const form = new FormData();
  for (const file of carriedFiles) form.append(name, file);
  const late = AbortSignal.timeout(Math.max(0, deadline.at - ANSWER_MS - Date.now()));
  const signal = AbortSignal.any([late, deadline.signal]);
  try {
    // It is told as done once it is answered: a page that is left before, or is silent, has not said what came of it.
    const response = await fetch(url, { method: "POST", body: form, redirect: "manual", signal });
    const type = response.headers.get("Content-Type") ?? "";
    const answer = /^text\/|json|xml/.test(type) ? (await response.text()).slice(0, MAX_ANSWER) : "";
    const upload: Uploaded = { route: "endpoint", files: seenIn(carriedFiles), status: response.status, answer };
    return { result: { match_count: 1, match_strategy: "", upload } };
  } catch (error) {
    if (late.aborted) throw problem(tools, "timeout", `${url.pathname} did not answer in time. It may have the files.`);
    throw problem(tools, "network_error", `${url.pathname} gave no answer (${String(error)}). It may have the files.`);
  }
};

/** Opens the file chooser of an input, as far as the browser lets it. */
const pickFiles: Operations["pick_files"] = ({ ref }, { refs }, tools) => {
  const input = refs.elementOf(ref) as HTMLInputElement;
  try {
    input.showPicker();
  } catch (error) {
    throw problem(tools, "no_file_chooser", `${tools.inWords(input)} opened no file chooser: ${String(error)}`);
  }
  return {};
};

/**
 * Reads the clipboard, or writes to it, by the browser's own command for that. The event that it makes is heard here first
 * and goes no further, so that the page pastes nothing and copies nothing.
 */
const clipboard: Operations["clipboard"] = async ({ write }, { act }, tools) => {
  const command = write === undefined ? "paste" : "copy";
  let heard: AgentOps["clipboard"]["result"] | undefined;
  const hears = (event: Event): void => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const { clipboardData: data } = event as ClipboardEvent;
    if (!data) return;
    if (write !== undefined) {
      data.clearData();
      data.setData("text/plain", write);
    }
    heard = { text: data.getData("text/plain"), types: [...data.types].slice(0, MAX_TYPES) };
  };
  // What comes before the command, and the key that brings it, is nobody's either; the key's default is the command.
  const key = (event: Event): void => event.stopImmediatePropagation();
  const types: [string, (event: Event) => void][] = [
    [command, hears],
    [`before${command}`, key],
    ["keydown", key],
    ["keyup", key],
  ];
  await act.attach();
  for (const [type, listener] of types) window.addEventListener(type, listener, true);
  try {
    await act.send({ type: "edit", command }, { x: 0, y: 0 }, { type: "keys", keys: [EDIT_KEY] });
  } finally {
    for (const [type, listener] of types) window.removeEventListener(type, listener, true);
  }
  if (!heard) throw problem(tools, "clipboard_refused", `The page heard of no ${command}.`);
  return heard;
};

const problem = (tools: Tools, ...told: ConstructorParameters<typeof AgentProblem>): AgentProblem =>
  new tools.AgentProblem(...told);

declare global {
  var gasolineUpload: Operations | undefined;
}

globalThis.gasolineUpload ??= {
  look_upload: lookUpload,
  put_files: putFiles,
  drop_files: dropFiles,
  post_files: postFiles,
  pick_files: pickFiles,
  clipboard,
};
