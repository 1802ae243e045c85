import type {
  PageComponent,
  PageFramework,
  PagePart,
  PageRouting,
  ScrollBox,
  ShadowRoots,
  Structure,
} from "@gasoline/schema/commands";
import { Components } from "../draw/components.ts";
import type { Slices } from "../slices.ts";
import type { Asking, Question } from "./main.ts";
import { compared, elementsOf, rootsOf, treeOf } from "./walk.ts";

const MAX_LISTED = 20;
const MAX_COMPONENTS = 10;
const MAX_TAGS = 10;
const MAX_JSON = 2000;
/** Elements that are asked whether they scroll. */
const MAX_ASKED = 20_000;

const META = ["viewport", "description", "og:title", "og:type", "robots", "theme-color", "generator"];

/** How the document is made; of elements their components. */
export const pageStructure: Question<"page_structure"> = async (asking) => {
  const { within, environment, tools } = asking;
  const slices = new tools.Slices(environment.deadline);
  const told: unknown = await tools.askFrameworks().catch(() => undefined);
  const frameworks = Array.isArray(told) ? told.flatMap(checked).slice(0, MAX_LISTED) : [];
  const structure: Structure = {
    frameworks,
    ...(told === undefined ? { world_unread: true } : {}),
    scroll_containers: [],
    modals: [],
    shadow_roots: { open: 0, closed: 0 },
    meta: metaOf(),
  };
  if (within) Object.assign(structure, await componentsOf(within, asking, slices));
  else {
    structure.routing = routingOf(frameworks);
    await walk(structure, asking, slices);
  }
  return structure;
};

/** It comes from the page's world, so it is taken as nothing but texts. */
function checked(one: unknown): PageFramework[] {
  const { name, version, evidence, sure } = (one ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || typeof evidence !== "string") return [];
  return [
    {
      name: name.slice(0, 40),
      ...(typeof version === "string" ? { version: version.slice(0, 40) } : {}),
      evidence: evidence.slice(0, 120),
      ...(sure === true ? {} : { hint: true }),
    },
  ];
}

async function componentsOf(
  elements: readonly Element[],
  { environment, tools }: Asking<unknown>,
  slices: Slices,
): Promise<Pick<Structure, "components" | "no_component">> {
  const roots = [...rootsOf(await treeOf(document, tools, slices))];
  const world = new Components();
  await world.begin();
  // What the user typed into a secret field may be in what a component keeps, in whatever root each of them is.
  const discreet = (text: string): string =>
    roots.reduce((cleaned, { firstElementChild: at }) => (at ? slices.pass.secrets.clean(cleaned, at) : cleaned), text);
  const components: PageComponent[] = [];
  let bare = 0;
  try {
    for (const at of elements.slice(0, MAX_COMPONENTS)) {
      const found = world.of(at);
      if (!found) {
        bare++;
        continue;
      }
      const clean = (_: string, value: unknown): unknown => (typeof value === "string" ? discreet(value) : value);
      const shown = (value: unknown): string => discreet(JSON.stringify(value, clean) ?? "").slice(0, MAX_JSON);
      components.push({
        ref: environment.refs.refOf(at),
        framework: found.framework,
        names: found.names,
        ...(found.source ? { source: found.source } : {}),
        ...(found.props === undefined ? {} : { props: shown(found.props) }),
        ...(found.state === undefined ? {} : { state: shown(found.state) }),
      });
    }
  } finally {
    world.end();
  }
  return { ...(components.length > 0 ? { components } : {}), ...(bare > 0 ? { no_component: bare } : {}) };
}

/** How the page changes its address, as far as its address and its frameworks show it. */
function routingOf(frameworks: readonly PageFramework[]): PageRouting {
  if (/^#!?\//.test(location.hash))
    return { type: "hash", evidence: `the address ends in ${location.hash.slice(0, 60)}` };
  const router = frameworks.find(({ name }) =>
    /^(Next|Nuxt|SvelteKit|Remix|React Router|Angular|Gatsby|Turbo)/.test(name),
  );
  if (router) return { type: "history", evidence: `${router.name} changes the address without a new document` };
  const soft = performance.getEntriesByType("soft-navigation").length;
  if (soft > 0) return { type: "history", evidence: `${soft} navigations within this document` };
  if (history.state !== null) return { type: "history", evidence: "the present entry of the history has a state" };
  return { type: "document", evidence: "no navigation within this document was seen" };
}

/** What scrolls, lies over the page, or has a shadow root. */
async function walk(structure: Structure, { environment, tools }: Asking<unknown>, slices: Slices): Promise<void> {
  const { refs } = environment;
  const roots: ShadowRoots = structure.shadow_roots;
  const hosts = new Set<string>();
  const undefinedTags = new Set<string>();
  let asked = 0;
  for (const at of elementsOf(await treeOf(document, tools, slices))) {
    if (slices.over) await slices.pause();
    if (!at.isConnected || tools.isOwn(at)) continue;
    const root = tools.shadowOf(at);
    if (root) {
      roots[root.mode]++;
      hosts.add(at.localName);
    } else if (at.matches(":not(:defined)")) undefinedTags.add(at.localName);
    if (at.matches("dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true],:popover-open")) {
      if (tools.isVisible(at) && structure.modals.length < MAX_LISTED) {
        await compared(at, tools, slices);
        structure.modals.push(partOf(at));
      }
    }
    if (asked++ < MAX_ASKED && structure.scroll_containers.length < MAX_LISTED) {
      const box = scrollOf(at);
      if (!box) continue;
      await compared(at, tools, slices);
      structure.scroll_containers.push({ ref: refs.refOf(at), ...box });
    }
  }
  if (hosts.size > 0) roots.hosts = [...hosts].slice(0, MAX_TAGS);
  if (undefinedTags.size > 0) roots.undefined = [...undefinedTags].slice(0, MAX_TAGS);

  function partOf(at: Element): PagePart {
    const role = tools.roleTold(at) || at.localName;
    return {
      ref: refs.refOf(at),
      role,
      text: tools.shownName(at, slices.pass) || tools.shownText(at, 120),
    };
  }

  function scrollOf(at: Element): Omit<ScrollBox, "ref"> | undefined {
    // Reading sizes is cheap while nothing changes; styles are asked of what is larger inside than outside.
    const down = at.scrollHeight > at.clientHeight + 1;
    const across = at.scrollWidth > at.clientWidth + 1;
    if ((!down && !across) || at.clientHeight === 0) return undefined;
    const isPage = at === document.scrollingElement;
    const ofPage = pageStyle();
    // The viewport takes the overflow of one of the two.
    if (!isPage && ofPage.from === at) return undefined;
    const { overflowY, overflowX } = isPage ? ofPage.style : getComputedStyle(at);
    const scrolls = isPage ? /auto|scroll|visible/ : /auto|scroll/;
    const isDown = down && scrolls.test(overflowY);
    const isAcross = across && scrolls.test(overflowX);
    if (!isDown && !isAcross) return undefined;
    return {
      label: isPage ? "the page" : tools.shownName(at, slices.pass) || tools.inWords(at),
      scroll_top: Math.round(at.scrollTop),
      height: at.clientHeight,
      scroll_height: at.scrollHeight,
      ...(isAcross ? { across: true } : {}),
    };
  }
}

/** Which element says how the viewport scrolls: https://www.w3.org/TR/css-overflow-3/#overflow-propagation. */
function pageStyle(): { from: Element; style: CSSStyleDeclaration } {
  const { documentElement: root, body } = document;
  const style = getComputedStyle(root);
  const isOpen = style.overflowX === "visible" && style.overflowY === "visible";
  return body && isOpen ? { from: body, style: getComputedStyle(body) } : { from: root, style };
}

function metaOf(): Record<string, string> {
  const found: Record<string, string> = { charset: document.characterSet };
  for (const at of document.getElementsByTagName("meta")) {
    const name = (at.getAttribute("name") ?? at.getAttribute("property") ?? "").toLowerCase();
    const content = at.getAttribute("content");
    if (content && META.includes(name)) found[name] ??= content.slice(0, 200);
  }
  return found;
}
