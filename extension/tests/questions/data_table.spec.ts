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
