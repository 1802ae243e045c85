/** A framework or tool that a page runs. */
export interface Framework {
  name: string;
  version?: string;
  /** What shows it, in words. */
  evidence: string;
  /** It was found at work; without, something speaks for it. */
  sure: boolean;
}

/**
 * Runs in the page's own world and says which frameworks are at work there. It reads own data properties only, so that no
 * getter of the page runs. It travels as text and uses nothing outside of itself.
 */
export function tellFrameworks(): Framework[] {
  const MAX_ELEMENTS = 3000;
  const found: Framework[] = [];
  const own = (of: unknown, key: PropertyKey): unknown => {
    if ((typeof of !== "object" && typeof of !== "function") || of === null) return undefined;
    try {
      const told = Object.getOwnPropertyDescriptor(of, key);
      return told && "value" in told ? (told.value as unknown) : undefined;
    } catch {
      return undefined; // a page's proxy threw
    }
  };
  const path = (...keys: string[]): unknown => keys.reduce<unknown>((at, key) => own(at, key), globalThis);
  const text = (value: unknown): string =>
    typeof value === "string" || typeof value === "number" ? String(value).slice(0, 40) : "";
  const add = (name: string, evidence: string, version?: unknown, sure = true): void => {
    const known = found.find((one) => one.name === name);
    const told = text(version);
    if (known) {
      if (told && !known.version) known.version = told;
      known.sure ||= sure;
      return;
    }
    found.push({ name, ...(told ? { version: told } : {}), evidence: evidence.slice(0, 120), sure });
  };
  const attribute = (css: string, name: string): string | undefined =>
    document.querySelector(css)?.getAttribute(name) ?? undefined;

  // What frameworks leave on elements.
  const all = document.getElementsByTagName("*");
  for (let i = 0; i < all.length && i < MAX_ELEMENTS; i++) {
    const at = all[i] as Element;
    for (const key of Object.getOwnPropertyNames(at)) {
      if (key.startsWith("__reactFiber$") || key.startsWith("__reactContainer$"))
        add("React", `${key.split("$")[0]}$… on <${at.localName}>`);
      else if (key.startsWith("__reactInternalInstance$") || key === "_reactRootContainer")
        add("React", `${key.split("$")[0]} on <${at.localName}>, as up to version 16`);
      else if (key === "__vue_app__") {
        add("Vue", `__vue_app__ on <${at.localName}>`, own(own(at, key), "version"));
        const nuxt = own(own(own(own(at, key), "config"), "globalProperties"), "$nuxt");
        if (nuxt) add("Nuxt", "$nuxt of the Vue app", own(own(nuxt, "versions"), "nuxt"));
      } else if (key === "__vue__")
        add(
          "Vue",
          `__vue__ on <${at.localName}>, as up to version 2`,
          own(own(own(own(at, key), "$options"), "_base"), "version"),
        );
      else if (key === "__k" && own(at, "__k")) add("Preact", `__k on <${at.localName}>`);
      else if (key === "__svelte_meta") add("Svelte", `__svelte_meta on <${at.localName}>`);
      else if (key === "__ngContext__") add("Angular", `__ngContext__ on <${at.localName}>`);
      else if (key === "_x_dataStack") add("Alpine", `_x_dataStack on <${at.localName}>`);
    }
  }
  // What they leave in the window.
  const hook = path("__REACT_DEVTOOLS_GLOBAL_HOOK__", "renderers");
  if (hook instanceof Map)
    for (const renderer of hook.values())
      add(
        "React",
        "a renderer told the developer tools' hook",
        own(renderer, "version") ?? own(renderer, "reconcilerVersion"),
      );
  if (text(path("React", "version")))
    add(
      "React",
      "window.React",
      path("React", "version"),
      found.some(({ name }) => name === "React"),
    );
  if (path("preact")) add("Preact", "window.preact");
  const svelte = path("__svelte", "v");
  if (svelte instanceof Set) add("Svelte", "window.__svelte", [...svelte].map(text).sort().at(-1));
  const ng = attribute("[ng-version]", "ng-version");
  if (ng) add("Angular", "the attribute ng-version", ng);
  if (path("angular", "version")) add("AngularJS", "window.angular", path("angular", "version", "full"));
  if (own(document, "_$DX_DELEGATE")) add("Solid", "events that Solid delegates to the document");
  else if (path("_$HY")) add("Solid", "window._$HY");
  for (const [key, name] of [
    ["litElementVersions", "Lit"],
    ["litHtmlVersions", "lit-html"],
    ["reactiveElementVersions", "Lit"],
  ] as const) {
    const versions = path(key);
    if (Array.isArray(versions))
      add(name, `window.${key}`, key === "reactiveElementVersions" ? undefined : versions.at(-1));
  }
  if (path("next", "version"))
    add(
      "Next.js",
      path("next", "appDir") ? "window.next, app router" : "window.next, pages router",
      path("next", "version"),
    );
  else if (path("__NEXT_DATA__")) add("Next.js", "window.__NEXT_DATA__");
  else if (path("__next_f")) add("Next.js", "window.__next_f, app router");
  if (path("__NUXT__")) add("Nuxt", "window.__NUXT__");
  const kit = Object.getOwnPropertyNames(globalThis).find((key) => key.startsWith("__sveltekit"));
  if (kit) add("SvelteKit", `window.${kit}`);
  if (path("__remixContext")) add("Remix", "window.__remixContext");
  if (path("__reactRouterContext"))
    add("React Router", "window.__reactRouterContext, as a framework", path("__reactRouterVersion"));
  else if (path("__reactRouterVersion"))
    add("React Router", "window.__reactRouterVersion", path("__reactRouterVersion"));
  if (document.querySelector("astro-island")) add("Astro", "<astro-island>");
  if (path("___gatsby") || document.getElementById("___gatsby")) add("Gatsby", "the element #___gatsby");
  const qwik = attribute("[q\\:container]", "q:version");
  if (qwik !== undefined) add("Qwik", "the attribute q:container", qwik);
  if (path("Ember", "VERSION")) add("Ember", "window.Ember", path("Ember", "VERSION"));
  if (path("Alpine")) add("Alpine", "window.Alpine", path("Alpine", "version"));
  if (path("htmx")) add("htmx", "window.htmx", path("htmx", "version"));
  if (path("Turbo")) add("Turbo", "window.Turbo");
  if (path("jQuery", "fn", "jquery")) add("jQuery", "window.jQuery", path("jQuery", "fn", "jquery"));
  if (path("Backbone", "VERSION")) add("Backbone", "window.Backbone", path("Backbone", "VERSION"));
  // What only speaks for them.
  if (document.querySelector("[data-reactroot],[data-reactid]"))
    add("React", "the attribute data-reactroot", undefined, false);
  if (document.querySelector('[class*="svelte-"]')) add("Svelte", "a class svelte-…", undefined, false);
  if (document.querySelector('script[src*="/@vite/client"]')) add("Vite", "its client for development");
  const chunk = Object.getOwnPropertyNames(globalThis).find(
    (key) => key.startsWith("webpackChunk") || key === "webpackJsonp",
  );
  if (chunk) add("webpack", `window.${chunk}`);
  const generator = attribute('meta[name="generator" i]', "content");
  if (generator) {
    const [, name = generator, version] = /^([A-Za-z][\w .-]*?)\s+v?(\d[\w.-]*)/.exec(generator) ?? [];
    add(
      name.slice(0, 40),
      "meta generator",
      version,
      found.some((one) => one.name === name),
    );
  }
  return found.slice(0, 20);
}
