import type { PageHeading, PagePart, PageSummed } from "@gasoline/schema/commands";
import type { Question } from "./main.ts";

const MAX_HEADINGS = 30;
const MAX_LANDMARKS = 15;
const MAX_PARTS = 10;
const MAX_MESSAGES = 5;
const MAX_PREVIEW = 500;
/** So many characters are read. */
const MAX_TEXT = 2_000_000;

/** What is in these is no text of the page. */
const SILENT = /^(script|style|noscript|template|option|textarea|title)$/;

const HEADINGS = "h1,h2,h3,h4,h5,h6,[role=heading]";
const OPERABLE =
  "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=true],[role=button],[role=link],[role=tab],[role=menuitem],[role=checkbox],[role=switch],[role=option],[role=combobox],[role=slider]";
const LANDMARKS = /^(banner|complementary|contentinfo|form|main|navigation|region|search)$/;

/** The document in short. */
export const pageSummary: Question<"page_summary"> = async ({ within, environment, tools }) => {
  const { refs, deadline } = environment;
  const slices = new tools.Slices(deadline);
  const scopes = within ?? [document];
  const all = (css: string): Element[] =>
    scopes.flatMap((scope) => tools.everywhere(css, scope)).filter((at) => !tools.isOwn(at));
  const seen = async (css: string, most: number): Promise<[Element[], number]> => {
    const kept: Element[] = [];
    let count = 0;
    for (const at of all(css)) {
      if (slices.over) await slices.pause();
      if (!at.isConnected || !tools.isVisible(at)) continue;
      count++;
      if (kept.length < most) kept.push(at);
    }
    return [kept, count];
  };
  const part = (at: Element, text: string): PagePart => ({
    ref: refs.refOf(at, tools.identityOf(at)),
    role: tools.roleTold(at) || at.localName,
    text: text.slice(0, 160),
  });
  const called = (at: Element): string => tools.shownName(at, slices.pass) || tools.shownText(at, 120);

  const [headings, headingCount] = await seen(HEADINGS, MAX_HEADINGS);
  const [dialogs] = await seen("dialog[open],[role=dialog],[role=alertdialog],:popover-open", MAX_PARTS);
  const [messages] = await seen("[role=alert],[role=status],output", MAX_MESSAGES * 4);
  const [forms] = await seen("form", MAX_PARTS);
  const [, operable] = await seen(OPERABLE, 0);
  const [, links] = await seen("a[href]", 0);
  const [, tables] = await seen("table,[role=grid],[role=table],[role=treegrid]", 0);
  const [, pictures] = await seen("img,svg[role=img],[role=img],canvas,video", 0);
  const landmarks: string[] = [];
  for (const at of all("header,nav,main,aside,footer,form,section,search,[role]")) {
    if (slices.over) await slices.pause();
    const role = tools.roleTold(at);
    if (!LANDMARKS.test(role) || !tools.isVisible(at)) continue;
    const name = tools.shownName(at, slices.pass);
    if (landmarks.length < MAX_LANDMARKS) landmarks.push(name ? `${role} "${tools.fold(name, 60)}"` : role);
  }
  const main = all("main,[role=main],article").find((at) => tools.isVisible(at));
  const { words, begin } = await read(main ?? scopes[0] ?? document);
  const sort = tools.sortOf();
  const count = { words, operable, links, tables, forms: forms.length, headings: headingCount };
  return {
    type: sort || typeOf(count, main, all),
    ...(document.documentElement?.lang ? { lang: document.documentElement.lang.slice(0, 35) } : {}),
    ...describedBy(),
    headings: headings.map((at): PageHeading => ({
      level: levelOf(at),
      text: tools.shownText(at, 120) || tools.shownName(at, slices.pass),
    })),
    heading_count: headingCount,
    landmarks,
    ...some(
      "dialogs",
      dialogs.map((at) => part(at, called(at))),
    ),
    ...some(
      "messages",
      messages
        .map((at) => part(at, tools.shownText(at, 160)))
        .filter((at) => at.text !== "")
        .slice(0, MAX_MESSAGES),
    ),
    ...some(
      "forms",
      forms.map((at) => part(at, formIn(at))),
    ),
    interactive_element_count: operable,
    link_count: links,
    table_count: tables,
    image_count: pictures,
    frame_count: all("iframe,frame").length,
    word_count: words,
    main_content_preview: tools.fold(begin, MAX_PREVIEW),
    ...(document.readyState === "complete" ? {} : { loading: true }),
  };

  /** Counts the words that are shown, and gives the first of a part: a page's whole text at once would hold it up. */
  async function read(first: Element | Document): Promise<{ words: number; begin: string }> {
    let words = 0;
    let begin = "";
    let size = 0;
    for (const root of within ?? tools.roots()) {
      const isInside = first instanceof Document || isShownIn(root, first);
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (size < MAX_TEXT && walker.nextNode()) {
        if (slices.over) await slices.pause();
        const { data, parentElement: parent } = walker.currentNode as Text;
        if (!parent || SILENT.test(parent.localName) || data.trim() === "" || !tools.isVisible(parent)) continue;
        size += data.length;
        words += data.match(/\S+/g)?.length ?? 0;
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
  const content = document.querySelector('meta[name="description" i]')?.getAttribute("content")?.trim();
  return content ? { description: content.slice(0, 300) } : {};
}

/** What sort of page it is, by what there is most of. */
function typeOf(
  count: { words: number; operable: number; links: number; tables: number; forms: number; headings: number },
  main: Element | undefined,
  all: (css: string) => Element[],
): string {
  const fields = all("input:not([type=hidden],[type=search]),select,textarea").length;
  const query = new URLSearchParams(location.search);
  if (["q", "query", "search", "s"].some((name) => query.get(name)) && count.links > 5) return "search_results";
  if (main?.localName === "article" && count.words > 200) return "article";
  if (count.tables > 0 && all("canvas,svg,[role=img]").length > 2) return "dashboard";
  if (fields >= 2 && count.forms > 0 && count.words < 400) return "form";
  if (all("[role=application],[role=grid],[role=tree],[role=tablist],[role=menubar],[role=toolbar]").length > 0)
    return "app";
  if (count.words > 300 && count.words > count.links * 12) return "article";
  if (count.links > 15 && count.words < count.links * 8) return "link_list";
  if (count.operable > 20 && count.operable > count.links * 2) return "app";
  return "generic";
}
