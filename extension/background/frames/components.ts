/**
 * Runs in the page's own world, where frameworks keep what they know of an element: for each event of this name it answers
 * with the components around the event's target, by an event "<name>-told" whose detail is JSON. It reads own data
 * properties only, so that no getter of the page runs. An event "<name>-end" takes it away. It travels as text and uses
 * nothing outside of itself.
 */
export function tellComponents(name: string): void {
  const MAX_NAMES = 5;
  const MAX_STEPS = 300;
  const MAX_PARENTS = 20;

  const own = (of: unknown, key: string): unknown => {
    if ((typeof of !== "object" && typeof of !== "function") || of === null) return undefined;
    const found = Object.getOwnPropertyDescriptor(of, key);
    return found && "value" in found ? (found.value as unknown) : undefined;
  };
  const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, 80) : "");
  /** A component's name, through what wraps it: memo and forwardRef. */
  const nameOf = (type: unknown, depth = 0): string => {
    if (depth > 3 || (typeof type !== "function" && typeof type !== "object")) return "";
    const direct = text(own(type, "displayName")) || (typeof type === "function" ? text(own(type, "name")) : "");
    return direct || nameOf(own(type, "type") ?? own(type, "render"), depth + 1);
  };
  /** Names on the way outwards, the innermost first. */
  const along = (from: unknown, up: string, named: (at: unknown) => string): string[] => {
    const names: string[] = [];
    let at = from;
    for (let step = 0; at && step < MAX_STEPS && names.length < MAX_NAMES; step++, at = own(at, up)) {
      const found = named(at);
      if (found && found !== names.at(-1)) names.push(found);
    }
    return names;
  };
  const fileName = (file: unknown): string => /([^/\\]+)\.\w+$/.exec(typeof file === "string" ? file : "")?.[1] ?? "";
  const source = (file: unknown, line: unknown): { source?: string } =>
    typeof file === "string" && file !== ""
      ? { source: file.slice(-160) + (typeof line === "number" ? `:${line}` : "") }
      : {};

  const MAX_DEPTH = 3;
  const MAX_KEYS = 12;
  const MAX_VALUES = 60;
  /** What a component was given or keeps, as plain data: own properties, cut. */
  const plain = (value: unknown, room: { left: number }, depth = 0): unknown => {
    if (room.left-- <= 0) return "…";
    if (typeof value === "string") return value.slice(0, 100);
    if (typeof value === "function") return `ƒ ${text(own(value, "name"))}`;
    if (typeof value === "bigint" || typeof value === "symbol") return String(value);
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Node) return `<${value.nodeName.toLowerCase()}>`;
    if (own(value, "__v_isRef")) return plain(own(value, "_value"), room, depth);
    if (own(value, "$$typeof")) return `<${nameOf(own(value, "type")) || text(own(value, "type"))}>`;
    if (depth >= MAX_DEPTH) return Array.isArray(value) ? "[…]" : "{…}";
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (let i = 0; i < value.length && i < MAX_KEYS; i++) items.push(plain(own(value, String(i)), room, depth + 1));
      if (value.length > MAX_KEYS) items.push(`… ${value.length - MAX_KEYS} more`);
      return items;
    }
    const keys = Object.getOwnPropertyNames(value);
    const plainly: Record<string, unknown> = {};
    for (const key of keys.slice(0, MAX_KEYS)) {
      if (key.startsWith("__")) continue;
      const held = own(value, key);
      if (held !== undefined) plainly[key.slice(0, 60)] = plain(held, room, depth + 1);
    }
    if (keys.length > MAX_KEYS) plainly["…"] = keys.length - MAX_KEYS;
    return plainly;
  };
  const inside = (props: unknown, state: unknown): { props?: unknown; state?: unknown } => {
    const room = { left: MAX_VALUES };
    return {
      ...(props ? { props: plain(props, room) } : {}),
      ...(state ? { state: plain(state, { left: MAX_VALUES }) } : {}),
    };
  };
  /** What the hooks of a component of React keep, in their order. */
  const hooks = (first: unknown): unknown[] => {
    const kept: unknown[] = [];
    let at = first;
    for (let step = 0; at && step < MAX_KEYS; step++, at = own(at, "next")) {
      const state = own(at, "memoizedState");
      // Effects and refs are no state.
      if (own(at, "queue")) kept.push(state);
    }
    return kept;
  };

  const parentOf = (at: Element): Element | null => {
    const root = at.parentElement ? null : at.getRootNode();
    return root instanceof ShadowRoot ? root.host : at.parentElement;
  };
  /** The class of a custom element. */
  const classOf = (at: Element): unknown =>
    at.localName.includes("-") && at.matches(":defined") ? own(Object.getPrototypeOf(at), "constructor") : undefined;
  /** What a class has, or one that it extends. */
  const inherited = (type: unknown, key: string): unknown => {
    for (let at = type, step = 0; at && step < MAX_PARENTS; at = Object.getPrototypeOf(at), step++) {
      const found = own(at, key);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  /** Lit's own getter of a property does nothing but read it; one of the page may do anything. */
  const reads = /^get\(\)\s*\{\s*return this\[\w+\];?\s*\}$/;
  const litValue = (element: Element, key: string): unknown => {
    for (let at: unknown = element, step = 0; at && step < MAX_PARENTS; at = Object.getPrototypeOf(at), step++) {
      const found = Object.getOwnPropertyDescriptor(at, key);
      if (!found) continue;
      if ("value" in found) return found.value;
      const get = own(found, "get") as ((this: Element) => unknown) | undefined;
      return get && reads.test(Function.prototype.toString.call(get)) ? get.call(element) : "not read";
    }
    return undefined;
  };
  const custom = (element: Element): object | undefined => {
    const type = classOf(element);
    if (!type) return undefined;
    const names: string[] = [];
    let outer: Element | null = element;
    for (let step = 0; outer && step < MAX_STEPS && names.length < MAX_NAMES; step++, outer = parentOf(outer)) {
      const of = classOf(outer);
      if (of) names.push(`${text(own(of, "name"))} <${outer.localName}>`.trim());
    }
    const props: Record<string, unknown> = {};
    const state: Record<string, unknown> = {};
    const some = (of: object): object | undefined => (Object.keys(of).length > 0 ? of : undefined);
    const declared = inherited(type, "elementProperties");
    if (!(declared instanceof Map)) {
      // What frameworks keep on elements is not the element's.
      for (const key of Object.getOwnPropertyNames(element).slice(0, MAX_VALUES))
        if (!/^_[_$]/.test(key)) state[key] = own(element, key);
      return { framework: "custom element", names, ...inside(undefined, some(state)) };
    }
    for (const [key, options] of [...(declared as Map<unknown, unknown>)].slice(0, MAX_KEYS))
      if (typeof key === "string") (own(options, "state") ? state : props)[key] = litValue(element, key);
    return { framework: "Lit", names, ...inside(some(props), some(state)) };
  };

  const told = (element: Element): object | undefined => {
    const keys = Object.getOwnPropertyNames(element);
    const react = keys.find((key) => key.startsWith("__reactFiber$") || key.startsWith("__reactInternalInstance$"));
    if (react !== undefined) {
      const fiber = own(element, react);
      const names = along(fiber, "return", (at) => nameOf(own(at, "type")));
      const made = own(fiber, "_debugSource");
      let at: unknown = fiber;
      for (let step = 0; at && step < MAX_STEPS && !nameOf(own(at, "type")); step++) at = own(at, "return");
      const kept = own(at, "memoizedState");
      const isClass = own(own(at, "stateNode"), "props") !== undefined;
      const held = isClass ? kept : hooks(kept);
      return names.length > 0
        ? {
            framework: "React",
            names,
            ...source(own(made, "fileName"), own(made, "lineNumber")),
            ...inside(own(at, "memoizedProps"), Array.isArray(held) && held.length === 0 ? undefined : held),
          }
        : undefined;
    }
    const vue = own(element, "__vueParentComponent");
    if (vue) {
      const type = (at: unknown): unknown => own(at, "type");
      const named = (at: unknown): string =>
        text(own(type(at), "name")) || text(own(type(at), "__name")) || fileName(own(type(at), "__file"));
      const names = along(vue, "parent", named);
      const state = own(vue, "devtoolsRawSetupState") ?? own(vue, "setupState");
      return names.length > 0
        ? {
            framework: "Vue",
            names,
            ...source(own(type(vue), "__file"), undefined),
            ...inside(own(vue, "props"), state),
          }
        : undefined;
    }
    const vue2 = own(element, "__vue__");
    if (vue2) {
      const options = (at: unknown): unknown => own(at, "$options");
      const names = along(
        vue2,
        "$parent",
        (at) => text(own(options(at), "name")) || text(own(options(at), "_componentTag")),
      );
      return names.length > 0 ? { framework: "Vue", names } : undefined;
    }
    const svelte = own(own(element, "__svelte_meta"), "loc");
    const file = own(svelte, "file");
    return fileName(file)
      ? { framework: "Svelte", names: [fileName(file)], ...source(file, own(svelte, "line")) }
      : custom(element);
  };

  const hear = (event: Event): void => {
    event.stopImmediatePropagation();
    let found: object | undefined;
    try {
      let at = event.composedPath()[0] as Element | null;
      for (let up = 0; at && !found && up < MAX_PARENTS; up++, at = parentOf(at)) found = told(at);
    } catch {
      found = undefined; // a page's proxy threw
    }
    window.dispatchEvent(new CustomEvent(`${name}-told`, { detail: JSON.stringify(found ?? null) }));
  };
  const end = (): void => {
    window.removeEventListener(name, hear, true);
    window.removeEventListener(`${name}-end`, end, true);
  };
  window.addEventListener(name, hear, true);
  window.addEventListener(`${name}-end`, end, true);
}
