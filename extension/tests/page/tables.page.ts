import { expect, test } from "vitest";
import { asked, book, pausesOf, put, shadow, within } from "./world.ts";

const tables = async (params = {}) => (await asked("data_table", params)).tables;
const only = async (params = {}) => (await tables(params))[0]!;
const rows = async (html: string) => (put(html), (await only()).rows);
const cell = async (html: string) => (await rows(`<table><tr><td>${html}<td>.</table>`))[0]![0];

test("a table is told with its caption, heads and rows, those of the foot last", async () => {
  put(`<table><caption>Sales</caption><thead><tr><th rowspan=2>Land<th colspan=2>2025<tr><th>Q1<th>Q2</thead>
    <tfoot><tr><td>Sum<td>6<td>9</tfoot><tbody><tr><th scope=row>France<td>1<td>2</tbody></table>
    <table role=presentation><tr><td>layout<table title=Inner><tr><th>A<tr><td>1</table></table>`);
  expect(await asked("data_table")).toEqual({
    tables: [
      {
        ref: "e3",
        role: "table",
        caption: "Sales",
        headers: ["Land", "2025 Q1", "2025 Q2"],
        rows: [
          ["France", "1", "2"],
          ["Sum", "6", "9"],
        ],
        row_refs: ["e1", "e2"],
        row_count: 2,
        column_count: 3,
      },
      {
        ref: "e5",
        role: "table",
        caption: "Inner",
        headers: ["A"],
        rows: [["1"]],
        row_refs: ["e4"],
        row_count: 1,
        column_count: 1,
      },
    ],
    count: 2,
  });
});

test("a table is meant by itself, by what is in it, and by what it is in", async () => {
  put(
    `<div id=part><table id=a><tr><td id=inner>1</table><table id=b><tr><td>2</table></div><table id=c><tr><td><i>3</table>`,
  );
  const counts = async (selector: string) => (await tables({ selector })).map(({ rows }) => rows[0]![0]);
  expect(await counts("#a")).toEqual(["1"]);
  expect(await counts("#part")).toEqual(["1", "2"]);
  expect(await counts("i")).toEqual(["3"]);
  expect(await counts("#inner, #b, i")).toEqual(["1", "2", "3"]);
  expect(await counts("td")).toEqual(["1", "2", "3"]);
  put(`<table><tr><td id=a>around<table><tr><td>inner</table></table>`);
  expect(await counts("#a")).toEqual(["inner"]);
  expect(await counts("body > table")).toEqual(["around inner", "inner"]);
});

test("spans are gone through as the browser does", async () => {
  expect(
    await rows(`<table><tbody><tr><td rowspan=0>all<td rowspan=2>two<td colspan=2>wide<tr><td>a<td>b<tr><td>c<td>d<td>e</tbody>
      <tbody><tr><td>f<td>g<td>h<td>i</tbody></table>`),
  ).toEqual([
    ["all", "two", "wide", "wide"],
    ["all", "two", "a", "b"],
    ["all", "c", "d", "e"],
    ["f", "g", "h", "i"],
  ]);
  // Cells lie over each other.
  expect(
    await rows(
      `<table><tr><td>1<td rowspan=3>2<td>3<tr><td colspan=2>4<td>5<tr><td>6<td>7<tr><td>8<td>9<td>10</table>`,
    ),
  ).toEqual([
    ["1", "2", "3"],
    ["4", "4", "5"],
    ["6", "2", "7"],
    ["8", "9", "10"],
  ]);
  expect(await rows(`<table><tr><td>1<td rowspan=2>2<tr><td>3<tr><td>4</table>`)).toEqual([
    ["1", "2"],
    ["3", "2"],
    ["4"],
  ]);
  expect(
    await rows(`<div role=table><div role=row><div role=cell aria-colspan=2 aria-rowspan=2>a</div><div role=cell>b</div></div>
      <div role=row><div role=cell>c</div></div><div role=row><div role=cell aria-colspan=0>d</div><div role=cell aria-rowspan=1.5>e</div>
      <div role=cell aria-colspan=x>f</div></div></div>`),
  ).toEqual([
    ["a", "a", "b"],
    ["a", "a", "c"],
    ["d", "e", "f"],
  ]);
});

test("a table that claims too much is cut", async () => {
  put(`<table><tr><td colspan=999>a<td colspan=2>b</table><table><tr><td colspan=999>a<td>b</table>`);
  const [first, second] = await tables({ max_cols: 2000 });
  expect([first!.cut_spans, second!.cut_spans]).toEqual([true, undefined]);
  expect([first!.column_count, second!.column_count, first!.rows[0]!.length]).toEqual([1000, 1000, 1000]);
  put(`<div role=table><div role=row><div role=cell aria-colspan=5000>a</div><div role=cell>b</div></div></div>`);
  expect(await only()).toMatchObject({ column_count: 1000, cut_spans: true });
});

test("no more tables, rows, columns and characters are told than asked for", async () => {
  put("<table><tr><td>1</table>".repeat(21));
  const answer = await asked("data_table");
  expect([answer.tables.length, answer.count]).toEqual([20, 21]);
  put(
    `<table title="${"t".repeat(130)}"><tr>${"<th>h".repeat(31)}${`<tr>${`<td>${"c".repeat(201)}`.repeat(31)}`.repeat(26)}</table>`,
  );
  const { caption, headers, rows: told, row_refs: refs, row_count: count, column_count: columns } = await only();
  expect([caption!.length, headers.length, told.length, refs.length, told[0]!.length, count, columns]).toEqual([
    120, 30, 25, 25, 30, 26, 31,
  ]);
  expect(told[0]![0]!.length).toBe(200);
  expect(await only({ max_rows: 0 })).toMatchObject({ rows: [], row_refs: [], row_count: 26 });
  put(`<table><caption>${"t".repeat(130)}</caption><tr><td>1</table>`);
  expect((await only()).caption!.length).toBe(120);
  expect((await cell(`<b>${"c".repeat(201)}</b>`))!.length).toBe(200);
  // What is beyond what a cell may say is not read.
  expect(await cell(`<b>${" ".repeat(1001)}</b><b>late</b>`)).toBe("");
  expect(await cell(`<b>${" ".repeat(1000)}</b><b>soon</b>`)).toBe("soon");
});

test("of a wide grid that draws some columns these are told", async () => {
  const line = (role: string, texts: [number, string][]) =>
    `<div role=row>${texts.map(([at, text]) => `<div role=${role} aria-colindex=${at}>${text}</div>`).join("")}</div>`;
  put(
    `<div role=grid aria-colcount=50>${line("columnheader", [
      [1, "Id"],
      [38, "K"],
      [40, "M"],
    ])}${line("gridcell", [
      [40, "m"],
      [1, "1"],
      [38, "k"],
    ])}${line("gridcell", [
      [1, "2"],
      [39, "l"],
    ])}</div>`,
  );
  expect(await only()).toEqual({
    ref: "e3",
    role: "grid",
    headers: ["Id", "K", "", "M"],
    rows: [
      ["1", "k", "", "m"],
      ["2", "", "l"],
    ],
    columns: [1, 38, 39, 40],
    row_refs: ["e1", "e2"],
    row_count: 2,
    column_count: 40,
    column_total: 50,
  });
  expect((await only({ max_cols: 3 })).columns).toEqual([1, 38, 39]);
  expect(await only({ max_cols: 40 })).toMatchObject({ column_count: 40 });
  expect(await only({ max_cols: 40 })).not.toHaveProperty("columns");
  // Of one that draws all, the first are told.
  put(`<table><tr><td>1<td>2<td>3</table>`);
  expect(await only({ max_cols: 2 })).not.toHaveProperty("columns");
  expect((await only({ max_cols: 2 })).rows).toEqual([["1", "2"]]);
});

test("what a page says of places and counts is taken where it can be true", async () => {
  const grid = (given: string, row = "", cell = "") =>
    `<div role=grid ${given}><div role=row><div role=columnheader>H</div></div><div role=row ${row}><div role=gridcell ${cell}>v</div></div></div>`;
  const told = async (...given: [string, string?, string?]) => {
    put(grid(...given));
    const { rows, row_total, column_total, first_row } = await only();
    return { cells: rows[0], row_total, column_total, first_row };
  };
  expect(await told("aria-rowcount=11 aria-colcount=2", "aria-rowindex=5", "aria-colindex=2")).toEqual({
    cells: ["", "v"],
    row_total: 10,
    first_row: 4,
  });
  expect(await told("aria-rowcount=1 aria-colcount=1", "aria-rowindex=1", "aria-colindex=1")).toEqual({
    cells: ["v"],
    row_total: 1,
    first_row: 1,
  });
  expect(await told("aria-rowcount=-1", "aria-rowindex=0")).toEqual({ cells: ["v"], row_total: -1 });
  expect(await told("aria-rowcount=1000000000000 aria-colcount=-1000000000000", "aria-rowindex=-1")).toEqual({
    cells: ["v"],
    row_total: 999999999999,
  });
  expect(
    await told("aria-rowcount=1000000000001 aria-colcount=1e300", "aria-rowindex=1.5", "aria-colindex=1000"),
  ).toEqual({ cells: ["", "v"] });
  expect(await told("aria-rowcount=many", "", "aria-colindex=1001")).toEqual({ cells: ["v"] });
  // A cell that another one has the place of stands behind it.
  expect(
    await rows(`<div role=grid><div role=row><div role=gridcell aria-colindex=2>b</div><div role=gridcell aria-colindex=2>c</div>
      <div role=gridcell aria-colindex=1>a</div></div></div>`),
  ).toEqual([["a", "b", "c"]]);
});

test("heads are rows of heads alone, above the first row of data", async () => {
  const heads = async (html: string) => {
    put(html);
    const { headers, rows } = await only();
    return { headers, rows };
  };
  expect(await heads("<table><tr><th>A<th>B<tr><td>1<td>2<tr><th>C<th>D</table>")).toEqual({
    headers: ["A", "B"],
    rows: [
      ["1", "2"],
      ["C", "D"],
    ],
  });
  expect(await heads("<table><tr><th>A<td>B<tr><td>1<td>2</table>")).toEqual({
    headers: [],
    rows: [
      ["A", "B"],
      ["1", "2"],
    ],
  });
  expect(await heads("<table><thead><tr><td>A<td>B</thead><tbody><tr><td>1<td>2</table>")).toEqual({
    headers: ["A", "B"],
    rows: [["1", "2"]],
  });
  expect(await heads("<table><tr><th scope=row>A<tr><th role=rowheader>B<tr><th scope=col>C</table>")).toEqual({
    headers: [],
    rows: [["A"], ["B"], ["C"]],
  });
  expect(await heads("<table><tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th><tr><td>1<td>2<td>3</table>")).toEqual({
    headers: ["A", "B C", "B"],
    rows: [["1", "2", "3"]],
  });
  expect(await heads("<table><tr><th role=button>A<tr><td role=note>1</table>")).toEqual({
    headers: ["A"],
    rows: [["1"]],
  });
  expect(await heads("<table title=Empty></table>")).toEqual({ headers: [], rows: [] });
  expect(await only()).toMatchObject({ row_count: 0, column_count: 0 });
  expect(await only()).not.toHaveProperty("first_row");
  expect(await heads("<table><tr><th rowspan=2>A<th>B<tr><th><tr><td>1<td>2</table>")).toMatchObject({
    headers: ["A", "B"],
  });
});

test("rows that only measure, that are not drawn or that are empty are none", async () => {
  put(`<table><tr aria-hidden=true><td>measure<tr><td>1<td style=display:none>2<td>3<tr hidden><td>4<tr><tr style=display:contents><td>5<td>6</table>
    <table style=display:none><tr><td>7<td style=display:none>8</table>`);
  expect(await tables()).toEqual([
    {
      ref: "e3",
      role: "table",
      headers: [],
      rows: [
        ["1", "3"],
        ["5", "6"],
      ],
      row_refs: ["e1", "e2"],
      row_count: 2,
      column_count: 2,
      hidden_rows: 1,
    },
    {
      ref: "e5",
      role: "table",
      headers: [],
      rows: [["7", "8"]],
      row_refs: ["e4"],
      row_count: 1,
      column_count: 2,
      hidden: true,
    },
  ]);
});

test("rows of a grid that are drawn in parts are joined by their numbers, those that it owns too", async () => {
  const row = (number: string, cells: string, role = "gridcell") =>
    `<div role=row ${number && `aria-rowindex=${number}`}>${cells
      .split("")
      .map((text) => `<div role=${role}>${text}</div>`)
      .join("")}</div>`;
  put(`<div role=treegrid aria-rowcount=9>${row("1", "A", "columnheader")}${row("1", "B", "columnheader")}
    ${row("12", "c")}${row("11", "a")}${row("11", "b")}${row("12", "d")}</div>`);
  expect(await only()).toMatchObject({
    headers: ["A", "B"],
    rows: [
      ["a", "b"],
      ["c", "d"],
    ],
    row_total: 8,
    first_row: 10,
  });
  // Where one row has no number they stand as they are written.
  put(`<div role=grid>${row("2", "a")}${row("", "b")}${row("1", "c")}</div>`);
  expect((await only()).rows).toEqual([["a"], ["b"], ["c"]]);
  put(`<div role=grid>${row("2", "a")}${row("0", "b")}${row("1", "c")}</div>`);
  expect((await only()).rows).toEqual([["a"], ["b"], ["c"]]);
  put(`<div role=grid aria-owns=" one  none two "><p aria-owns=two></p></div><div id=one role=row><i role=gridcell>1</i></div>
    <div id=two><div role=row><i role=gridcell>2</i></div></div>`);
  expect((await only()).rows).toEqual([["1"], ["2"]]);
  put(
    `<div role=grid><div role=row><i role=gridcell>1<span role=table><b role=row><u role=cell>inner</u></b></span></i></div></div>`,
  );
  expect((await tables()).map(({ rows }) => rows)).toEqual([[["1inner"]], [["inner"]]]);
  put(`<div role=grid><div role=row><i role=gridcell>1</i><b role=gridcell aria-hidden=true>2</b><td>3</div></div>`);
  expect((await only()).rows).toEqual([["1", "2"]]);
  put(`<table role=grid><tr role=row><i></i></tr></table>`);
  document.querySelector("tr")!.innerHTML = "<i role=gridcell>x</i><my-part></my-part>";
  shadow(document.querySelector("my-part")!, "<i role=gridcell>deep</i>");
  expect((await only()).rows).toEqual([["x", "deep"]]);
});

test("the heads of a grid that draws a part do not count as rows", async () => {
  const head = `<div role=row><div role=columnheader>H</div></div>`;
  const grid = (heads: number, rows: string) =>
    put(`<div role=grid aria-rowcount=100>${head.repeat(heads)}${rows}</div>`);
  grid(2, `<div role=row></div><div role=row aria-rowindex=50><div role=gridcell>v</div></div>`);
  expect(await only()).toMatchObject({ row_total: 98, first_row: 48 });
  grid(11, `<div role=row></div><div role=row aria-rowindex=5><div role=gridcell>v</div></div>`);
  expect(await only()).toMatchObject({ row_total: 90, first_row: 1 });
});

test("a cell says what is seen of it", async () => {
  expect(await cell("<i hidden>0001</i>Ada")).toBe("Ada");
  expect(await cell("a<script>b</script><style>c</style><template>d</template><noscript>e</noscript><b>f</b>")).toBe(
    "af",
  );
  expect(await cell("<p>a</p><p>b</p>c<p>d</p>e<br>f<span>e</span>f")).toBe("a b c d e fef");
  expect(await cell("<div style=display:contents>a</div><i>b</i>")).toBe("ab");
  expect(await cell("<select><option>Open<option selected>Closed</select>")).toBe("Closed");
  expect(await cell("<input value=5> pcs<textarea>note</textarea>")).toBe("5 pcs note");
  expect(await cell("<input type=checkbox checked> a <input type=checkbox> b <input type=radio checked>")).toBe(
    "☑ a ☐ b ☑",
  );
  expect(await cell("<input type=password value=hunter2xyz>")).toBe("••••••");
  expect(
    await cell(
      "<b role=switch aria-checked=false>Off</b><b role=switch aria-checked=true>On</b><b role=checkbox aria-checked=mixed>Some</b>",
    ),
  ).toBe("☐ Off☑ On☐ Some");
  expect(await cell("a<img alt=Flag src=data:,>b<svg role=img aria-label=Up></svg>c")).toBe("a Flag b Up c");
  expect(
    await cell(
      "<button aria-label=Edit>✎</button><button aria-label=Delete></button>x<a href=/x title=Open><svg></svg></a>",
    ),
  ).toBe("Edit Delete x Open");
  expect(await cell("<button aria-label=Edit>now 1</button><b role=link>…</b><i role=img aria-label=Star>*</i>")).toBe(
    "now 1 … Star",
  );
  expect(await cell("1<i role=img>*</i>2")).toBe("1 * 2");
  put("<table><tr><td><my-badge>3</my-badge>");
  shadow(document.querySelector("my-badge")!, "<b>New </b><slot></slot>");
  expect((await only()).rows).toEqual([["New 3"]]);
  put("<div role=table><div role=row><my-cell role=cell></my-cell></div></div>");
  shadow(document.querySelector("my-cell")!, "<button aria-label=Edit></button>");
  expect((await only()).rows).toEqual([["Edit"]]);
});

test("what is typed into a secret field is in no cell", async () => {
  put(`<input type=password value=hunter2xyz><table><tr><td><b>hunter2xyz</b> is it<td>hunter2xyz</table>`);
  expect((await only()).rows).toEqual([["•••••• is it", "••••••"]]);
});

test("a table is named, else called by its caption, and is told where it is hidden", async () => {
  put(`<table aria-label=Name><caption>Caption</caption><tr><td>1</table><div role=grid title=Grid><div role=row><i role=gridcell>1</i></div></div>
    <table hidden><caption>Hidden</caption><tr><td>1</table><table><tr><td>1</table><table role=grid><caption>Own</caption><tr><td>1</table>`);
  expect((await tables()).map(({ role, caption, hidden }) => [role, caption, hidden])).toEqual([
    ["table", "Name", undefined],
    ["grid", "Grid", undefined],
    ["table", "Hidden", true],
    ["table", undefined, undefined],
    ["grid", "Own", undefined],
  ]);
});

test("the page works between tables and between rows, and may take them away", async () => {
  const refs = book();
  const answer = () => asked("data_table", {}, within(5000, refs));
  const PAGE = "<table><tr><td>1<tr><td>2</table><table><tr><td>3</table>";
  put(PAGE);
  expect(await pausesOf(0, answer)).toBe(0);
  const pauses = await pausesOf(20, answer);
  expect(pauses).toBeGreaterThanOrEqual(5);
  /** What is told where something goes away in one of the pauses. */
  const without = async (away: () => void): Promise<string[]> => {
    const all: string[] = [];
    for (let n = 1; n <= pauses; n++) {
      put(PAGE);
      await pausesOf(
        20,
        async () => all.push(JSON.stringify((await answer()).tables.map(({ rows }) => rows))),
        (nth) => nth === n && away(),
      );
    }
    return all;
  };
  const rows = await without(() => document.querySelectorAll("tr")[1]!.remove());
  expect(rows).toHaveLength(pauses);
  expect(rows).toContain('[[["1"]],[["3"]]]');
  const tables = await without(() => document.querySelectorAll("table")[1]!.remove());
  expect(tables).toContain('[[["1"],["2"]]]');
});
