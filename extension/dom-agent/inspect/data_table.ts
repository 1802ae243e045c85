import type { FoundTable } from "@gasoline/schema/commands";
import type { Slices } from "../slices.ts";
import type { Asking, Question } from "./main.ts";

const MAX_TABLES = 20;
const DEFAULT_ROWS = 25;
const DEFAULT_COLUMNS = 30;
const MAX_CELL = 200;

/** A table that spans or claims more than this is not told further. */
const MAX_GRID_COLUMNS = 1000;

const TABLES = "table,[role=table],[role=grid],[role=treegrid]";
const ROWS = "tr,[role=row]";
const CELLS = /^(cell|gridcell|columnheader|rowheader)$/;

/** The tables and grids of the document. */
export const dataTable: Question<"data_table"> = async (asking) => {
  const { within, environment, tools } = asking;
  const slices = new tools.Slices(environment.deadline);
  const found = new Set<Element>();
  for (const scope of within ?? [document]) {
    if (scope instanceof Element && scope.matches(TABLES)) found.add(scope);
    for (const at of tools.everywhere(TABLES, scope)) found.add(at);
    // An element in a table that is asked about means that table.
    const around = scope instanceof Element && !scope.matches(TABLES) ? tools.nearest(scope, TABLES) : null;
    if (around && found.size === 0) found.add(around);
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
  element: Element;
  text: string;
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
  const rows: string[][] = [];
  const rowRefs: string[] = [];
  let rowCount = 0;
  let columns = 0;
  let first = 0;
  let cut = false;
  let begun = false; // a row of data has come
  /** By column: the cell that goes on into the next rows, and how many of them. */
  let spans: ({ cell: Cell; left: number } | undefined)[] = [];
  let part: Element | null = null;
  for (const row of rowsOf(table, tools)) {
    if (slices.over) await slices.pause();
    if (!row.isConnected) continue;
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
    for (const at of cellsOf(row, tools)) {
      goOn();
      const index = Number(tools.ariaOf(at, "colindex"));
      // What is not drawn leaves a gap.
      if (
        Number.isInteger(index) &&
        index > column + 1 &&
        index <= MAX_GRID_COLUMNS &&
        !(at instanceof HTMLTableCellElement)
      )
        column = index - 1;
      const cell: Cell = {
        element: at,
        text: tools.shownText(at, MAX_CELL) || boxIn(at, asking),
        head: isHead(at, tools),
      };
      const wide = spanOf(at, "colspan", tools);
      const high = spanOf(at, "rowspan", tools);
      if (column + wide > MAX_GRID_COLUMNS) cut = true;
      for (let i = 0; i < wide && column < MAX_GRID_COLUMNS; i++) {
        line[column] = cell;
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
        if (i >= maxColumns || !cell) continue;
        const before = headers[i] ?? "";
        headers[i] = before === "" || before === cell.text ? cell.text : `${before} ${cell.text}`;
      }
      continue;
    }
    begun = true;
    rowCount++;
    if (rowCount === 1) first = Number(tools.ariaOf(row, "rowindex")) || 0;
    if (rows.length >= maxRows) continue;
    rows.push(Array.from({ length: Math.min(line.length, maxColumns) }, (_, i) => line[i]?.text ?? ""));
    rowRefs.push(refs.refOf(row, tools.identityOf(row)));
  }
  const caption = tools.shownName(table, slices.pass) || captionOf(table, tools);
  const total = Number(tools.ariaOf(table, "rowcount") ?? NaN);
  const totalColumns = Number(tools.ariaOf(table, "colcount") ?? NaN);
  return {
    ref: refs.refOf(table, tools.identityOf(table)),
    role: tools.roleTold(table),
    ...(caption ? { caption: caption.slice(0, 120) } : {}),
    headers: Array.from({ length: headers.length }, (_, i) => headers[i] ?? ""),
    rows,
    row_refs: rowRefs,
    row_count: rowCount,
    column_count: columns,
    // The count has the rows of heads in it, which are as many as are drawn.
    ...(Number.isInteger(total) && total !== 0
      ? { row_total: total < 0 ? -1 : Math.max(rowCount, total - headRows(table, tools)) }
      : {}),
    ...(Number.isInteger(totalColumns) && totalColumns > columns ? { column_total: totalColumns } : {}),
    ...(first > 0 ? { first_row: Math.max(1, first - headRows(table, tools)) } : {}),
    ...(tools.isVisible(table) ? {} : { hidden: true }),
    ...(cut ? { cut_spans: true } : {}),
  };
}

type Tools = Asking<unknown>["tools"];

const everyCell = (line: Cell[], fits: (cell: Cell) => boolean): boolean => line.every((cell) => !cell || fits(cell));

/** The rows of a table, and of no table in it. Those of the foot stand last, wherever they are written. */
function rowsOf(table: Element, tools: Tools): Element[] {
  if (table instanceof HTMLTableElement) return [...table.rows];
  return tools.everywhere(ROWS, table).filter((row) => tools.nearest(row, TABLES) === table);
}

function cellsOf(row: Element, tools: Tools): Element[] {
  if (row instanceof HTMLTableRowElement && row.cells.length > 0) return [...row.cells];
  return tools
    .everywhere("[role=cell],[role=gridcell],[role=columnheader],[role=rowheader],td,th", row)
    .filter((at) => CELLS.test(tools.roleTold(at)) && tools.nearest(tools.parentOf(at) ?? at, ROWS) === row);
}

const isHead = (at: Element, tools: Tools): boolean =>
  at.localName === "th"
    ? at.getAttribute("scope") !== "row" && tools.roleTold(at) !== "rowheader"
    : tools.roleTold(at) === "columnheader";

const headRows = (table: Element, tools: Tools): number =>
  rowsOf(table, tools)
    .slice(0, 10)
    .filter((row) => {
      const all = cellsOf(row, tools);
      return all.length > 0 && all.every((at) => isHead(at, tools));
    }).length;

/** How far a cell reaches; 0: to the end of its part of the table. */
function spanOf(at: Element, name: "colspan" | "rowspan", tools: Tools): number {
  if (at instanceof HTMLTableCellElement) return name === "colspan" ? at.colSpan : at.rowSpan;
  const given = Number(tools.ariaOf(at, name) ?? 1);
  return Number.isInteger(given) && given > 0 ? Math.min(given, MAX_GRID_COLUMNS) : 1;
}

/** What a cell without text holds: a box that is checked or not, a field, a picture's name. */
function boxIn(at: Element, { tools }: Asking<unknown>): string {
  const [inner] = tools.everywhere("input,select,textarea,img,svg,[role=img],[role=checkbox],button", at);
  if (!inner) return "";
  const { checked, value } = tools.controlOf(inner);
  if (checked !== undefined) return checked ? "☑" : "☐";
  return value ?? tools.shownName(inner);
}

const captionOf = (table: Element, { shownText }: Tools): string =>
  table instanceof HTMLTableElement && table.caption ? shownText(table.caption, 120) : "";
