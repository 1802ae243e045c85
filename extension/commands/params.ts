import type { CommandKind, Commands } from "@gasoline/schema/commands";
import * as v from "valibot";
import { CommandProblem } from "./problem.ts";

// What comes from the daemon was written by an agent: it is checked here, at the border, and handlers
// rely on it. Members that are not known are dropped, so that a newer daemon can add some.

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const finite = v.pipe(v.number(), v.finite());
const trusted = v.optional(v.picklist(["auto", "always", "never"]));

const timeout = {
  timeout_ms: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(600_000))),
  reason: v.optional(text(500)),
};

const target = {
  ref: v.optional(v.pipe(v.string(), v.regex(/^e\d{1,12}$/, "a ref looks like e17"))),
  selector: v.optional(text(2000)),
  nth: v.optional(v.pipe(v.number(), v.integer())),
  within: v.optional(text(2000)),
  frame: v.optional(text(2000)),
  x: v.optional(finite),
  y: v.optional(finite),
};

const navigation = v.object({ ...timeout, url: v.optional(text(100_000)), new_tab: v.optional(v.boolean()) });
const tab = v.object({ ...timeout, tab_index: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))) });
const targetOnly = v.object({ ...target, ...timeout });
const none = v.object({});

const SCHEMAS = {
  navigate: navigation,
  refresh: navigation,
  back: navigation,
  forward: navigation,
  new_tab: navigation,
  switch_tab: tab,
  close_tab: tab,
  click: v.object({
    ...target,
    ...timeout,
    button: v.optional(v.picklist(["left", "middle", "right"])),
    count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
    new_tab: v.optional(v.boolean()),
    trusted,
  }),
  type: v.object({ ...target, ...timeout, text: text(1_000_000), clear: v.optional(v.boolean()), trusted }),
  select: v.object({ ...target, ...timeout, value: text(10_000) }),
  check: v.object({ ...target, ...timeout, checked: v.optional(v.boolean()) }),
  key_press: v.object({ ...target, ...timeout, text: text(100), trusted }),
  scroll_to: v.object({
    ...target,
    ...timeout,
    direction: v.optional(v.picklist(["", "top", "bottom", "up", "down"])),
  }),
  hover: targetOnly,
  focus: targetOnly,
  wait_for: v.object({
    ...target,
    ...timeout,
    text: v.optional(text(10_000)),
    url_contains: v.optional(text(10_000)),
    absent: v.optional(v.boolean()),
  }),
  wait_for_stable: v.object({ ...timeout, stability_ms: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(60_000))) }),
  get_text: v.object({ ...target, ...timeout, structured: v.optional(v.boolean()) }),
  get_value: targetOnly,
  execute_js: v.object({
    ...timeout,
    script: text(1_000_000),
    world: v.optional(v.picklist(["", "auto", "main", "isolated"])),
    frame: v.optional(text(2000)),
  }),
  highlight: v.object({
    ...target,
    ...timeout,
    duration_ms: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(30_000))),
  }),
  list_interactive: v.object({
    ...timeout,
    visible_only: v.optional(v.boolean()),
    frame: v.optional(text(2000)),
    within: v.optional(text(2000)),
    scope_rect: v.optional(v.array(finite)),
    text_contains: v.optional(text(1000)),
    role: v.optional(text(100)),
    exclude_nav: v.optional(v.boolean()),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
  screenshot: v.object({
    ...timeout,
    format: v.optional(v.picklist(["", "png", "jpeg"])),
    quality: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
    full_page: v.optional(v.boolean()),
    selector: v.optional(text(2000)),
    wait_for_stable: v.optional(v.boolean()),
    max_width: v.optional(v.pipe(v.number(), v.minValue(0))),
    grayscale: v.optional(v.boolean()),
  }),
  waterfall: none,
  flush: none,
} satisfies Record<CommandKind, v.GenericSchema>;

/** Says whether a word from the daemon is a kind of command. */
export function isCommandKind(kind: string): kind is CommandKind {
  return Object.hasOwn(SCHEMAS, kind);
}

/**
 * Checks and types the params of a command. Throws invalid_param with the member that is wrong.
 * Empty strings of selectors and names count as absent, as they do in Go.
 */
export function parseParams<K extends CommandKind>(kind: K, params: unknown): Commands[K]["params"] & { timeout_ms?: number } {
  const parsed = v.safeParse(SCHEMAS[kind] as v.GenericSchema, withoutEmpty(params ?? {}));
  if (parsed.success) return parsed.output as Commands[K]["params"];
  const [issue] = parsed.issues;
  const path = issue.path?.map((item) => String(item.key)).join(".") ?? "params";
  throw new CommandProblem("invalid_param", `${path}: ${issue.message}`);
}

const EMPTY_IS_ABSENT: ReadonlySet<string> = new Set([
  "ref",
  "selector",
  "within",
  "frame",
  "url",
  "url_contains",
  "button",
  "trusted",
  "role",
  "text_contains",
  "world",
  "format",
  "direction",
]);

function withoutEmpty(params: unknown): unknown {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return params;
  return Object.fromEntries(Object.entries(params).filter(([key, value]) => value !== null && !(value === "" && EMPTY_IS_ABSENT.has(key))));
}
