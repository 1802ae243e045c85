import type { PageHeading, PagePart, PageSummed } from "@gasoline/schema/commands";
import type { Tree } from "@gasoline/capture/locators/deep";
import type { Question } from "./main.ts";
import { SILENT, everyIn, rootsOf, treeOf } from "./walk.ts";

const MAX_HEADINGS = 30;
const MAX_LANDMARKS = 15;
const MAX_PARTS = 10;
const MAX_MESSAGES = 5;
const MAX_PREVIEW = 500;
/** So many characters are read. */
const MAX_TEXT = 2_000_000;

/** What is looked for, and told or counted where it is visible. */
const SHOWN = {
  headings: "h1,h2,h3,h4,h5,h6,[role=heading]",
  dialogs: "dialog[open],[role=dialog],[role=alertdialog],:popover-open",
  messages: "[role=alert],[role=status],output",
  forms: "form",
  operable:
    "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=true],[role=button],[role=link],[role=tab],[role=menuitem],[role=checkbox],[role=switch],[role=option],[role=combobox],[role=slider]",
  links: "a[href]",
  tables: "table,[role=grid],[role=table],[role=treegrid]",
  pictures: "img,svg[role=img],[role=img],canvas,video",
  landmarks: "header,nav,main,aside,footer,form,section,search,[role]",
  mains: "main,[role=main],article",
};
/** What is counted, visible or not. */
const THERE = {
  fields: "input:not([type=hidden],[type=search]),select,textarea",
  drawings: "canvas,svg,[role=img]",
  apps: "[role=application],[role=grid],[role=tree],[role=tablist],[role=menubar],[role=toolbar]",
  frames: "iframe,frame",
};
const ANY = [...Object.values(SHOWN), ...Object.values(THERE)].join();
const LANDMARKS = /^(banner|complementary|contentinfo|form|main|navigation|region|search)$/;

/** The document in short. */
export const pageSummary: Question<"page_summary"> = async ({ within, environment, tools }) => {
  const { refs, deadline } = environment;
  const slices = new tools.Slices(deadline);
  const scopes = within ?? [document];
  const shown = each(SHOWN, () => [] as Element[]);
  const there = each(THERE, () => 0);
  const trees: Tree[] = [];
  for (const scope of scopes) {
    const tree = await treeOf(scope, tools, slices);
    trees.push(tree);
    for (const at of everyIn(scope, tree)) {
      if (slices.over) await slices.pause();
      if (!at.matches(ANY) || tools.isOwn(at)) continue;
      for (const name of keys(THERE)) if (at.matches(THERE[name])) there[name]++;
      const names = keys(SHOWN).filter((name) => at.matches(SHOWN[name]));
      if (names.length > 0 && tools.isVisible(at)) for (const name of names) shown[name].push(at);
    }
  }
  const { operable, links, tables, pictures } = each(SHOWN, (name) => shown[name].length);
  const headings = shown.headings.slice(0, MAX_HEADINGS);
  const part = (at: Element, text: string): PagePart => ({
    ref: refs.refOf(at),
    role: tools.roleTold(at) || at.localName,
    text: text.slice(0, 160),
  });
  const called = (at: Element): string => tools.shownName(at, slices.pass) || tools.shownText(at, 120);

  const landmarks: string[] = [];
  for (const at of shown.landmarks) {
    if (slices.over) await slices.pause();
    if (landmarks.length >= MAX_LANDMARKS) break;
    const role = tools.roleTold(at);
    if (!LANDMARKS.test(role)) continue;
    const name = tools.shownName(at, slices.pass);
    landmarks.push(name ? `${role} "${tools.fold(name, 60)}"` : role);
  }
  const [main] = shown.mains;
  const { words, begin } = await read(main ?? scopes[0]!);
  const sort = tools.sortOf();
  const count = { ...there, words, operable, links, tables, forms: shown.forms.length };
  return {
    type: sort || typeOf(count, main),
    ...(document.documentElement?.lang ? { lang: document.documentElement.lang.slice(0, 35) } : {}),
    ...describedBy(),
    headings: headings.map((at): PageHeading => ({
      level: levelOf(at),
      text: tools.shownText(at, 120) || tools.shownName(at, slices.pass),
    })),
    heading_count: shown.headings.length,
    landmarks,
    ...some(
      "dialogs",
      shown.dialogs.slice(0, MAX_PARTS).map((at) => part(at, called(at))),
    ),
    ...some(
      "messages",
      shown.messages
        .slice(0, MAX_MESSAGES * 4)
        .map((at) => part(at, tools.shownText(at, 160)))
        .filter((at) => at.text !== "")
        .slice(0, MAX_MESSAGES),
    ),
    ...some(
      "forms",
      shown.forms.slice(0, MAX_PARTS).map((at) => part(at, formIn(at))),
    ),
    interactive_element_count: operable,
    link_count: links,
    table_count: tables,
    image_count: pictures,
    frame_count: there.frames,
    word_count: words,
    main_content_preview: tools.fold(begin, MAX_PREVIEW),
    ...(document.readyState === "complete" ? {} : { loading: true }),
  };

  /** Counts the words that are shown, and gives the first of a part: a page's whole text at once would hold it up. */
  async function read(first: Element | Document): Promise<{ words: number; begin: string }> {
    let words = 0;
    let begin = "";
    let size = 0;
    for (const root of within ?? trees.flatMap((tree) => [...rootsOf(tree)])) {
      const isInside = first instanceof Document || isShownIn(root, first);
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (size < MAX_TEXT && walker.nextNode()) {
        if (slices.over) await slices.pause();
        const { data, parentElement: parent } = walker.currentNode as Text;
        if (!parent || SILENT.test(parent.localName) || data.trim() === "" || !tools.isVisible(parent)) continue;
        size += data.length;
        words += data.match(/\S+/g)!.length;
        if (begin.length < MAX_PREVIEW && (isInside || first.contains(parent)))
          begin += ` ${tools.clean(data, parent)}`;
      }
    }
    return { words, begin };
  }

  /** ARIA takes 2 where no number is given. */
  function levelOf(at: Element): number {
    const level = Number(tools.ariaOf(at, "level") ?? /^h([1-6])$/.exec(at.localName)?.[1] ?? 2);
    return Number.isInteger(level) && level > 0 && level < 100 ? level : 2;
  }

  function isShownIn(root: Node, outer: Element): boolean {
    for (let up = root instanceof ShadowRoot ? root.host : null; up; up = tools.parentOf(up))
      if (up === outer) return true;
    return false;
  }

  function formIn(at: Element): string {
    const fields = tools
      .everywhere("input:not([type=hidden],[type=submit],[type=button]),select,textarea", at)
      .slice(0, 8);
    const names = fields.map(
      (field) => tools.labelOf(field, slices.pass).slice(0, 30) || field.getAttribute("name") || field.localName,
    );
    const name = tools.shownName(at, slices.pass);
    return `${name ? `${name}: ` : ""}${names.join(", ")}`;
  }
};

const some = <K extends keyof PageSummed>(key: K, parts: PagePart[]): Partial<Record<K, PagePart[]>> =>
  (parts.length > 0 ? { [key]: parts } : {}) as Partial<Record<K, PagePart[]>>;

function describedBy(): { description?: string } {
  const named = [...document.getElementsByTagName("meta")].filter((at) =>
    /^description$/i.test(at.getAttribute("name") ?? ""),
  );
  const content = named[0]?.getAttribute("content")?.trim();
  return content ? { description: content.slice(0, 300) } : {};
}

const keys = <K extends string>(of: Record<K, unknown>): K[] => Object.keys(of) as K[];

const each = <K extends string, V>(of: Record<K, unknown>, value: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys(of).map((key) => [key, value(key)])) as Record<K, V>;

/** What sort of page it is, by what there is most of. */
function typeOf(
  count: { words: number; operable: number; links: number; tables: number; forms: number } & Record<
    keyof typeof THERE,
    number
  >,
  main: Element | undefined,
): string {
  const query = new URLSearchParams(location.search);
  if (["q", "query", "search", "s"].some((name) => query.get(name)) && count.links > 5) return "search_results";
  if (main?.localName === "article" && count.words > 200) return "article";
  if (count.tables > 0 && count.drawings > 2) return "dashboard";
  if (count.fields >= 2 && count.forms > 0 && count.words < 400) return "form";
  if (count.apps > 0) return "app";
  if (count.words > 300 && count.words > count.links * 12) return "article";
  if (count.links > 15 && count.words < count.links * 8) return "link_list";
  if (count.operable > 20 && count.operable > count.links * 2) return "app";
  return "generic";
}
