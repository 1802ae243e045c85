import type { FoundTable } from "@gasoline/schema/commands";
import type { Slices } from "../slices.ts";
import { isNative, valueOf } from "./fields.ts";
import type { Asking, Question } from "./main.ts";
import { compared, fitting } from "./walk.ts";

const MAX_TABLES = 20;
const DEFAULT_ROWS = 25;
const DEFAULT_COLUMNS = 30;
const MAX_CELL = 200;

/** A table that spans or claims more than this is not told further. */
const MAX_GRID_COLUMNS = 1000;

/** A larger number of rows or columns is none. */
const MAX_NUMBER = 1e12;

const TABLES = "table,[role=table],[role=grid],[role=treegrid]";
const ROWS = "tr,[role=row]";
const CELL = "[role=cell],[role=gridcell],[role=columnheader],[role=rowheader],td,th";
const CELLS = /^(cell|gridcell|columnheader|rowheader)$/;

/** The tables and grids of the document. */
export const dataTable: Question<"data_table"> = async (asking) => {
  const { within, environment, tools } = asking;
  const slices = new tools.Slices(environment.deadline);
  const found = new Set<Element>();
  for (const scope of within ?? [document]) {
    const inside = await fitting(TABLES, [scope], tools, slices);
    // An element in a table that is asked about means that table.
    const table = inside.size === 0 && scope instanceof Element ? tools.nearest(scope, TABLES) : null;
    for (const at of table ? [table] : inside) found.add(at);
  }
  const tables: FoundTable[] = [];
  let count = 0;
  for (const at of found) {
    if (slices.over) await slices.pause();
    // A table that lays out a page is none for who reads it.
    if (!at.isConnected || !/^(table|grid|treegrid)$/.test(tools.roleTold(at))) continue;
    count++;
    if (tables.length < MAX_TABLES) tables.push(await read(at, asking, slices));
  }
  return { tables, count };
};

interface Cell {
  /** Read where it is told. */
  readonly text: string;
  head: boolean;
}

async function read(
  table: Element,
  asking: Asking<{ max_rows?: number; max_cols?: number }>,
  slices: Slices,
): Promise<FoundTable> {
  const { params, environment, tools } = asking;
  const { refs } = environment;
  const maxRows = params.max_rows ?? DEFAULT_ROWS;
  const maxColumns = params.max_cols ?? DEFAULT_COLUMNS;
  const headers: string[] = [];
  const rows: Cell[][] = [];
  const drawn = new Set<number>(); // columns that something stands in
  const rowRefs: string[] = [];
  let rowCount = 0;
  let hiddenRows = 0;
  let columns = 0;
  let first = 0;
  let cut = false;
  let begun = false; // a row of data has come
  /** By column: the cell that goes on into the next rows, and how many of them. */
  let spans: ({ cell: Cell; left: number } | undefined)[] = [];
  let part: Element | null = null;
  // Of a table that is not seen all is told.
  const isSeen = isDrawn(table);
  const lines = linesOf(table, tools);
  const cells = cellsOf(table, tools);
  for (const parts of lines) {
    if (slices.over) await slices.pause();
    const [row] = parts;
    if (!row?.isConnected) continue;
    if (row.getAttribute("aria-hidden") === "true") continue; // it measures columns, or keeps room
    if (isSeen && !isDrawn(row)) {
      hiddenRows++;
      continue;
    }
    // Spans end with their part of the table.
    if (row.parentElement !== part) [part, spans] = [row.parentElement, []];
    const line: Cell[] = [];
    let column = 0;
    const goOn = (): void => {
      for (let span = spans[column]; span && span.left > 0; span = spans[column]) {
        span.left--;
        line[column++] = span.cell;
      }
    };
    for (const at of parts.flatMap(cells)) {
      // The browser gives a cell without a box no column.
      if (isSeen && at instanceof HTMLTableCellElement && !isDrawn(at)) continue;
      goOn();
      const index = at instanceof HTMLTableCellElement ? 0 : numberOf(at, "colindex", tools);
      // What is not drawn leaves a gap; what is drawn may be written in any order.
      if (index > 0 && index <= MAX_GRID_COLUMNS && !line[index - 1]) column = index - 1;
      let text: string | undefined;
      const cell: Cell = {
        get text() {
          return (text ??= textIn(at, asking));
        },
        head: isHead(at, tools),
      };
      const wide = spanOf(at, "colspan", tools);
      const high = spanOf(at, "rowspan", tools);
      if (column + wide > MAX_GRID_COLUMNS) cut = true;
      for (let i = 0; i < wide && column < MAX_GRID_COLUMNS; i++) {
        line[column] = cell;
        // Cells may lie over each other; the one from above goes on all the same.
        const above = spans[column];
        if (above) above.left--;
        if (high !== 1) spans[column] = { cell, left: high === 0 ? Infinity : high - 1 };
        column++;
      }
    }
    goOn();
    if (line.length === 0) continue;
    columns = Math.max(columns, line.length);
    const isHeader = !begun && (row.parentElement?.localName === "thead" || everyCell(line, ({ head }) => head));
    if (isHeader) {
      // Rows of heads above each other are one: "2025 Sales".
      for (const [i, cell] of line.entries()) {
        if (!cell) continue;
        drawn.add(i);
        const before = headers[i] ?? "";
        headers[i] = before === cell.text ? before : `${before} ${cell.text}`.trim();
      }
      continue;
    }
    begun = true;
    rowCount++;
    if (rowCount === 1) first = numberOf(row, "rowindex", tools);
    if (rows.length >= maxRows) continue;
    for (const [i, cell] of line.entries()) if (cell) drawn.add(i);
    rows.push(line);
    await compared(row, tools, slices);
    rowRefs.push(refs.refOf(row));
  }
  // Of a wide grid that draws some columns these are told; of others the first, and what is not drawn is a gap.
  const some = columns > maxColumns && drawn.size < columns;
  const listed = (some ? [...drawn].toSorted((a, b) => a - b) : [...Array(columns).keys()]).slice(0, maxColumns);
  const of = (line: number): number[] => listed.filter((i) => i < line);
  const texts: string[][] = [];
  for (const line of rows) {
    if (slices.over) await slices.pause();
    texts.push(of(line.length).map((i) => line[i]?.text ?? ""));
  }
  const caption = tools.shownName(table, slices.pass);
  const total = numberOf(table, "rowcount", tools);
  const totalColumns = numberOf(table, "colcount", tools);
  const heads = headRows(lines, cells, tools);
  const pager = total > 0 ? {} : pagerOf(table, rowCount, tools);
  return {
    ref: refs.refOf(table),
    role: tools.roleTold(table),
    ...(caption ? { caption: caption.slice(0, 120) } : {}),
    headers: of(headers.length).map((i) => headers[i] ?? ""),
    rows: texts,
    ...(some ? { columns: listed.map((i) => i + 1) } : {}),
    row_refs: rowRefs,
    row_count: rowCount,
    column_count: columns,
    // The count has the rows of heads in it, which are as many as are drawn.
    ...(total === 0 ? {} : { row_total: total < 0 ? -1 : Math.max(rowCount, total - heads) }),
    ...(totalColumns > columns ? { column_total: totalColumns } : {}),
    ...(first > 0 ? { first_row: Math.max(1, first - heads) } : {}),
    ...pager,
    ...(hiddenRows > 0 ? { hidden_rows: hiddenRows } : {}),
    ...(tools.isVisible(table) ? {} : { hidden: true }),
    ...(cut ? { cut_spans: true } : {}),
  };
}

type Tools = Asking<unknown>["tools"];

const everyCell = (line: Cell[], fits: (cell: Cell) => boolean): boolean => line.every((cell) => !cell || fits(cell));

/** A number that the page gives; 0 for none, and for what is none. */
function numberOf(at: Element, name: string, tools: Tools): number {
  const given = Number(tools.ariaOf(at, name) ?? 0);
  return Number.isInteger(given) && Math.abs(given) <= MAX_NUMBER ? given : 0;
}

/** The parts of each row. Grids draw a row in parts that stand still and that scroll, in any order, and number them. */
function linesOf(table: Element, tools: Tools): Element[][] {
  const rows = rowsOf(table, tools);
  const numbers = table instanceof HTMLTableElement ? [] : rows.map((row) => numberOf(row, "rowindex", tools));
  if (numbers.length === 0 || numbers.some((number) => number <= 0)) return rows.map((row) => [row]);
  const lines = new Map<number, Element[]>();
  for (const [i, row] of rows.entries()) {
    const number = numbers[i] as number;
    lines.set(number, [...(lines.get(number) ?? []), row]);
  }
  return [...lines].toSorted(([a], [b]) => a - b).map(([, parts]) => parts);
}

/** The rows of a table, and of no table in it. Those of the foot stand last, wherever they are written. */
function rowsOf(table: Element, tools: Tools): Element[] {
  if (table instanceof HTMLTableElement) return [...table.rows];
  const own = tools.everywhere(ROWS, table).filter((row) => tools.nearest(row, TABLES) === table);
  const root = table.getRootNode() as Document | ShadowRoot;
  const owned = [table, ...tools.everywhere("[aria-owns]", table)].flatMap((at) =>
    (at.getAttribute("aria-owns")?.split(/\s+/) ?? []).flatMap((id) => {
      const part = id && root.getElementById?.(id);
      return part ? (part.matches(ROWS) ? [part] : tools.everywhere(ROWS, part)) : [];
    }),
  );
  return [...new Set([...own, ...owned])];
}

/** Whether an element has a box, or shows its content without one. */
const isDrawn = (at: Element): boolean => at.checkVisibility() || getComputedStyle(at).display === "contents";

/** Gives the cells of a row. Those of a grid are looked for once: a search for each row takes long. */
function cellsOf(table: Element, tools: Tools): (row: Element) => Element[] {
  const rowOf = (at: Element): Element | null => tools.nearest(tools.parentOf(at) ?? at, ROWS);
  const rows = new Map<Element | null, Element[]>();
  for (const at of table instanceof HTMLTableElement ? [] : tools.everywhere(CELL, table)) {
    const row = rowOf(at);
    const known = rows.get(row);
    if (known) known.push(at);
    else rows.set(row, [at]);
  }
  return (row) => {
    if (row instanceof HTMLTableRowElement && row.cells.length > 0) return [...row.cells];
    const all = rows.get(row) ?? tools.everywhere(CELL, row).filter((at) => rowOf(at) === row);
    return all.filter((at) => CELLS.test(tools.roleTold(at)));
  };
}

const isHead = (at: Element, tools: Tools): boolean =>
  at.localName === "th" ? tools.roleTold(at) !== "rowheader" : tools.roleTold(at) === "columnheader";

const headRows = (lines: readonly Element[][], cells: (row: Element) => Element[], tools: Tools): number =>
  lines.slice(0, 10).filter((parts) => {
    const all = parts.flatMap(cells);
    return all.length > 0 && all.every((at) => isHead(at, tools));
  }).length;

const PAGERS = "[role=status],[role=navigation],nav,[class*=pagina i]";

/** What a pager beside a table tells. Languages differ, so it is known by its numbers: the first and the last row that are drawn, and all. */
function pagerOf(table: Element, rows: number, tools: Tools): Pick<FoundTable, "row_total" | "first_row" | "pager"> {
  const foot = table instanceof HTMLTableElement ? table.tFoot : null;
  const isDrawnPart = (from: number, to: number): boolean =>
    to - from + 1 === rows || to - from + 1 === rows - (foot?.rows.length ?? 0);
  let pager: string | undefined;
  for (const beside of besides(table, foot, tools)) {
    const text = tools.shownText(beside, 400);
    const numbers = [...text.matchAll(/\d{1,3}(?:[.,'’\u00A0\u202F]\d{3})+|\d+/g)].map(({ 0: word, index }) => ({
      value: Number(word.replaceAll(/\D/g, "")),
      index,
      end: index + word.length,
    }));
    for (const isTotalFirst of [false, true])
      for (const [i, a] of numbers.entries()) {
        const [b, c] = numbers.slice(i + 1);
        if (!b || !c) break;
        const [total, from, to] = isTotalFirst ? [a, b, c] : [c, a, b];
        const between = isTotalFirst ? text.slice(a.end, b.index) : text.slice(b.end, c.index);
        const isPart = isDrawnPart(from.value, to.value) && from.value > 0 && to.value <= total.value;
        if (!isPart || !/^[^.;:!?]{0,12}$/.test(between) || !/[\p{L}/]/u.test(between)) continue;
        return {
          row_total: total.value,
          ...(from.value > 1 ? { first_row: from.value } : {}),
          pager: text.slice(a.index, c.end),
        };
      }
    for (const at of pager ? [] : [beside, ...beside.querySelectorAll(PAGERS)]) {
      const words = at.matches(PAGERS) ? tools.shownText(at, 100) : "";
      if (/^\D{0,40}\d+([^\d:]{1,12}\d+)+\D{0,40}$/.test(words)) pager ??= words;
    }
  }
  return pager ? { pager } : {};
}

/** Elements on each side of a table, and of what is around it, in which a pager is looked for. */
const MAX_BESIDE = 10;

/** What is shown around a table, from near to far, as long as no other table is there. */
function* besides(table: Element, foot: Element | null, tools: Tools): Generator<Element, void, void> {
  if (foot) yield foot;
  let at = table;
  for (let depth = 0; depth < 5; depth++) {
    const around = tools.parentOf(at);
    if (!around || tools.everywhere(TABLES, around).some((other) => other !== table && !table.contains(other))) return;
    const inside = tools.shownIn(around).filter((node) => node instanceof Element);
    const here = inside.indexOf(at);
    for (const node of inside.slice(Math.max(0, here - MAX_BESIDE), here + MAX_BESIDE + 1)) if (node !== at) yield node;
    at = around;
  }
}

/** How far a cell reaches; 0: to the end of its part of the table. */
function spanOf(at: Element, name: "colspan" | "rowspan", tools: Tools): number {
  if (at instanceof HTMLTableCellElement) return name === "colspan" ? at.colSpan : at.rowSpan;
  const given = Number(tools.ariaOf(at, name) ?? 1);
  return Number.isInteger(given) && given > 0 ? Math.min(given, MAX_GRID_COLUMNS) : 1;
}

/** What is called by its name where it shows no words. */
const CALLED = "a[href],button,[role=button],[role=img],[role=link]";

/** What a cell shows: its words, and what its fields and pictures say. */
function textIn(cell: Element, { tools }: Asking<unknown>): string {
  if (cell.childElementCount === 0 && !tools.shadowOf(cell)) return tools.shownText(cell, MAX_CELL);
  let text = "";
  const write = (of: Element): void => {
    for (const node of tools.shownIn(of)) {
      if (text.length > MAX_CELL * 5) return;
      if (node instanceof Text) text += node.data;
      else if (node instanceof Element) part(node);
    }
  };
  const part = (at: Element): void => {
    if (!isDrawn(at)) return;
    if (isNative(at)) {
      const isBox = at instanceof HTMLInputElement && /^(checkbox|radio)$/.test(at.type);
      text += ` ${isBox ? (at.checked ? "☑" : "☐") : valueOf(at, tools)} `;
      return;
    }
    if (/^(img|svg)$/.test(at.localName)) {
      text += ` ${tools.shownName(at)} `;
      return;
    }
    const apart = /^(inline|contents)$/.test(getComputedStyle(at).display) && at.localName !== "br" ? "" : " ";
    text += apart;
    const checked = tools.ariaOf(at, "checked");
    if (checked !== null) text += checked === "true" ? "☑ " : "☐ ";
    const begun = text.length;
    write(at);
    if (at.matches(CALLED) && !/[\p{L}\p{N}]/u.test(text.slice(begun)))
      text = `${text.slice(0, begun)} ${tools.shownName(at) || text.slice(begun)} `;
    text += apart;
  };
  write(cell);
  return tools.clean(tools.fold(text, MAX_CELL), cell);
}
