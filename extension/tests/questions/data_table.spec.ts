import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

test("tables are rows of columns, with spans as the browser resolves them", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<table id=t><caption>Sales</caption>
      <thead><tr><th rowspan=2>Land<th colspan=2>2025<tr><th>Q1<th>Q2</thead>
      <tfoot><tr><td>Sum<td>6<td>9</tfoot>
      <tbody><tr><th scope=row>France<td>1<td>2<tr><td rowspan=2>Spain<td colspan=2>3<tr><td>4<td><input type=checkbox checked></tbody></table>
    <table role=presentation><tr><td>layout<table id=inner><tr><th>A<th>B<tr><td>1<td>2</table></table>`,
  );
  const { tables, count } = (await run("data_table", {})).result.documents[0]!.answer;
  expect(count).toBe(2);
  expect(tables[0]).toMatchObject({
    role: "table",
    caption: "Sales",
    headers: ["Land", "2025 Q1", "2025 Q2"],
    rows: [
      ["France", "1", "2"],
      ["Spain", "3", "3"],
      ["Spain", "4", "☑"],
      ["Sum", "6", "9"],
    ],
    row_count: 4,
    column_count: 3,
  });
  expect(tables[1]).toMatchObject({ headers: ["A", "B"], rows: [["1", "2"]] });
  const few = await run("data_table", { selector: "#t", max_rows: 1, max_cols: 2 });
  expect(few.result.documents[0]!.answer.tables).toMatchObject([
    { headers: ["Land", "2025 Q1"], rows: [["France", "1"]], row_count: 4, column_count: 3 },
  ]);
  const of = await run("data_table", { selector: "#inner td" });
  expect(of.result.documents[0]!.answer.tables).toMatchObject([{ headers: ["A", "B"] }]);
  const { row_refs } = tables[0]!;
  expect((await run("get_text", { ref: row_refs[0]! })).result.value).toContain("France");
});

test("a grid that draws a part says how much there is", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div role=grid aria-label=Users aria-rowcount=5001 aria-colcount=40>
      <div role=row aria-rowindex=1><div role=columnheader aria-colindex=1>Name</div><div role=columnheader aria-colindex=3>Mail</div></div>
      <div role=rowgroup><div role=row aria-rowindex=101><div role=gridcell aria-colindex=1>Ada</div><div role=gridcell aria-colindex=3>a@b.test</div></div>
      <div role=row aria-rowindex=102><div role=gridcell aria-colindex=3>c@d.test</div></div></div></div>
    <div role=grid aria-label=Endless aria-rowcount=-1><div role=row><div role=gridcell>1</div></div></div>`,
  );
  const { tables } = (await run("data_table", {})).result.documents[0]!.answer;
  expect(tables[0]).toMatchObject({
    role: "grid",
    caption: "Users",
    headers: ["Name", "", "Mail"],
    rows: [
      ["Ada", "", "a@b.test"],
      ["", "", "c@d.test"],
    ],
    row_count: 2,
    row_total: 5000,
    first_row: 100,
    column_total: 40,
  });
  expect(tables[1]).toMatchObject({ row_total: -1, row_count: 1 });
});

test("a page of twenty thousand cells is read in slices", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<table><tr>${"<th>H</th>".repeat(10)}</tr></table><script>
      document.querySelector("tbody").insertAdjacentHTML("beforeend", ("<tr>" + "<td>1</td>".repeat(10) + "</tr>").repeat(2000));
      window.longest = 0; let last = performance.now();
      new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: "longtask" });
    </script>`,
  );
  const { answer } = (await run("data_table", {})).result.documents[0]!;
  expect(answer.tables).toMatchObject([{ row_count: 2000, column_count: 10 }]);
  expect(answer.tables[0]!.rows).toHaveLength(25);
  expect(await page.evaluate("longest")).toBeLessThan(1000);
});

test("a cell is what is seen of it: words, values of fields, names of icons, parts of components", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<table><tr><th>Name<th>State<th>Qty<th>Do<th>Badge<tr><td><i hidden>0001</i>Ada<td><select><option>Open<option selected>Closed</select>
       <td><input value=5> pcs<td><button aria-label=Edit>✎</button><button aria-label=Delete></button><td><my-badge>3</my-badge>
     <tr><td><label><input type=checkbox checked> Done</label><td><b role=switch aria-checked=false>Off</b><td><input type=password value=hunter2xyz>
       <td><a href=/x><svg aria-label=Open role=img></svg></a><td><p>a</p><p>b</p></table>
     <script>document.querySelector("my-badge").attachShadow({ mode: "open" }).innerHTML = "<b>New </b><slot></slot>"</script>`,
  );
  const [table] = (await run("data_table", {})).result.documents[0]!.answer.tables;
  expect(table!.rows).toEqual([
    ["Ada", "Closed", "5 pcs", "Edit Delete", "New 3"],
    ["☑ Done", "☐ Off", "••••••", "Open", "a b"],
  ]);
});

test("rows and columns without boxes are no part of the table that is seen", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>.none { display: none }</style>
     <table aria-label=Filtered><tr aria-hidden=true><td style="padding:0;height:0"><td style="padding:0;height:0"><td style="padding:0;height:0">
       <tr><th>A<th class=none>B<th>C<tr><td>1<td class=none>2<td>3<tr class=none><td>4<td class=none>5<td>6
       <tr><td>7<td class=none>8<td>9</table>
     <table aria-label=Over><tr><td>1<td rowspan=2>2<td>3<tr><td colspan=2>4<td>5<tr><td>6<td>7<td>8</table>
     <details><table aria-label=Closed><tr class=none><td>1</table></details>`,
  );
  const { tables } = (await run("data_table", {})).result.documents[0]!.answer;
  expect(tables[0]).toMatchObject({
    headers: ["A", "C"],
    rows: [
      ["1", "3"],
      ["7", "9"],
    ],
    row_count: 2,
    column_count: 2,
    hidden_rows: 1,
  });
  expect(tables[1]!.rows).toEqual([
    ["1", "2", "3"],
    ["4", "4", "5"],
    ["6", "7", "8"],
  ]);
  const lefts = "[...document.querySelectorAll('[aria-label=Over] tr')].map((row) => row.lastElementChild.offsetLeft)";
  expect(new Set((await page.evaluate(lefts)) as number[]).size).toBe(1);
  expect(tables[2]).toMatchObject({ hidden: true, rows: [["1"]] });
});

test("rows that a grid draws in parts, in any order or elsewhere are rows all the same", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const row = (number: number, cells: [number, string][], role = "gridcell"): string =>
    `<div role=row aria-rowindex=${number}>${cells.map(([at, text]) => `<div role=${role} aria-colindex=${at}>${text}</div>`).join("")}</div>`;
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div role=treegrid aria-label=Pinned aria-rowcount=101>
       <div role=rowgroup>${row(1, [[1, "Id"]], "columnheader")}</div>
       <div role=rowgroup>${row(
         1,
         [
           [3, "Zip"],
           [2, "Name"],
         ],
         "columnheader",
       )}</div>
       <div role=rowgroup>${row(12, [[1, "b"]])}${row(11, [[1, "a"]])}</div>
       <div role=rowgroup>${row(11, [
         [3, "z1"],
         [2, "n1"],
       ])}${row(12, [
         [2, "n2"],
         [3, "z2"],
       ])}</div></div>
     <div role=grid aria-label=Owner aria-owns="r1 r2"></div><div id=r1 role=row><div role=columnheader>H</div></div><div id=r2 role=row><div role=gridcell>v</div></div>
     <div role=grid aria-label=Lies aria-rowcount=1e300 aria-colcount=1e200><div role=row aria-rowindex=1.5><div role=gridcell aria-colindex=-3>v</div></div></div>`,
  );
  const { tables } = (await run("data_table", {})).result.documents[0]!.answer;
  expect(tables[0]).toMatchObject({
    headers: ["Id", "Name", "Zip"],
    rows: [
      ["a", "n1", "z1"],
      ["b", "n2", "z2"],
    ],
    row_count: 2,
    column_count: 3,
    row_total: 100,
    first_row: 10,
  });
  expect(tables[1]).toMatchObject({ headers: ["H"], rows: [["v"]] });
  expect(tables[2]).toMatchObject({ rows: [["v"]], row_count: 1 });
  for (const claim of ["row_total", "column_total", "first_row"]) expect(tables[2]).not.toHaveProperty(claim);
});

test("a pager beside a table tells how many rows there are", async ({ daemon, site, browserWithExtension }) => {
  const table = (label: string, rows: number, foot = ""): string =>
    `<table aria-label="${label}"><thead><tr><th>Id</thead>${foot}<tbody>${"<tr><td>1".repeat(rows)}</tbody></table>`;
  const shown = async (path: string, html: string) => {
    const { run } = await open(browserWithExtension, site, daemon, html, path);
    return (await run("data_table", {})).result.documents[0]!.answer.tables;
  };
  const told = await shown(
    "/told",
    `<section>${table("Status", 5)}<p role=status>1–5 of 23</p></section>
     <section><div>${table("Entries", 3)}</div><div>Showing <b>1,201</b> to <b>1,203</b> of <b>1,234</b> entries</div></section>
     <section>${table("Foot", 2, "<tfoot><tr><td>Rows per page: 5 <i>11-12 / 40</i></tfoot>")}</section>
     <section>${table("Counted first", 2)}<div>23件中 3〜4件</div></section>
     <section>${table("All", 2)}<p>10 per page, 1–2 of 2</p></section>
     <section>${table("Pages", 2)}<nav aria-label=Pagination><b aria-current=page>1</b> <a href=#>2</a> <a href=#>3</a></nav></section>
     <section>${table("Page of", 2)}<p role=status>Page 1 of 5</p></section>
     <section>${table("Spoken", 2)}<p>Delivery in 1–2 days. 2031 customers.</p><p role=status>Saved at 12:30</p><nav>Top 10 offers</nav></section>
     <section>${table("First", 2)}${table("Second", 2)}<p>1–2 of 7</p></section>`,
  );
  const total = (label: string): unknown[] => {
    const { row_total, first_row, pager } = told.find(({ caption }) => caption === label)!;
    return [row_total, first_row, pager];
  };
  expect(total("Status")).toEqual([23, undefined, "1–5 of 23"]);
  expect(total("Entries")).toEqual([1234, 1201, "1,201 to 1,203 of 1,234"]);
  expect(total("Foot")).toEqual([40, 11, "11-12 / 40"]);
  expect(total("Counted first")).toEqual([23, 3, "23件中 3〜4"]);
  expect(total("All")).toEqual([2, undefined, "1–2 of 2"]);
  expect(total("Pages")).toEqual([undefined, undefined, "1 2 3"]);
  expect(total("Page of")).toEqual([undefined, undefined, "Page 1 of 5"]);
  expect(total("Spoken")).toEqual([undefined, undefined, undefined]);
  expect(total("Second")).toEqual([undefined, undefined, undefined]);
});
