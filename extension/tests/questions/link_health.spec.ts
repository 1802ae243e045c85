import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

test("where links lead is told by URL, with places of the document that are not there", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<meta name=about content=x><nav><a href="/x">X</a><a href="/x">X again</a><a href="/x#part">Part</a></nav>
     <main><h2 id=here>Here</h2><a name="old place">Old</a><p id="ü">u</p><form name=form></form>
       <a href="#here">1</a><a href="#old%20place">2</a><a href="#%C3%BC">3</a><a href="#top">4</a><a href="#">5</a>
       <a href="#/route">6</a><a href="#:~:text=Here">7</a><a href="#about">8</a><a name=about></a>
       <a href="#gone">Gone</a><a href="#gone">Gone too</a><a href="#form">Form</a><a href="#Here">Case</a><a href="#a%">Bad</a>
       <a href="mailto:a@b.test">M</a><a href="javascript:void 0">J</a><a href="http://[">Bad</a><a>None</a>
       <a href="https://other.example/?q=1">Other</a><my-card></my-card></main>
     <iframe srcdoc="<a href='/inner'>Inner</a>"></iframe>
     <script>document.querySelector("my-card").attachShadow({mode: "closed"}).innerHTML = "<a href=/deep>Deep</a><a href=#inside>In</a><i id=inside></i>"</script>`,
  );
  const { origin } = new URL(page.url());
  const [main, inner] = (await run("link_health", {})).result.documents;
  const answer = main!.answer;
  expect(answer.links.map(({ url, text, count, external }) => [url, text, count, external ?? false])).toEqual([
    [`${origin}/x`, "X", 2, false],
    [`${origin}/x#part`, "Part", 1, false],
    ["https://other.example/?q=1", "Other", 1, true],
    [`${origin}/deep`, "Deep", 1, false],
  ]);
  expect(answer.places!.map(({ url, count }) => [new URL(url).hash, count])).toEqual([
    ["#gone", 2],
    ["#form", 1],
    ["#Here", 1],
    ["#a%", 1],
    ["#inside", 1],
  ]);
  expect(answer).toMatchObject({ places_there: 8, other: 3, count: 22, urls: 4 });
  expect(inner!.answer.links).toMatchObject([{ url: `${origin}/inner` }]);
  const part = (await run("link_health", { selector: "nav", url: "#part" })).result.documents[0]!.answer;
  expect(part).toMatchObject({ count: 1, links: [{ text: "Part" }] });
  expect((await run("click", { ref: answer.links[0]!.ref })).result.navigated).toBe(true);
});

test("of three thousand URLs a thousand are told, and the page works meanwhile", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div></div><script>for (let i = 0; i < 3000; i++) document.querySelector("div").insertAdjacentHTML("beforeend", '<a href="/n?' + i + '">n' + i + "</a> <a href='#no" + i + "'>p</a> ")</script>`,
  );
  const { answer } = (await run("link_health", {})).result.documents[0]!;
  expect(answer).toMatchObject({ count: 6000, urls: 3000, other: 0 });
  expect([answer.links.length, answer.places!.length]).toEqual([1000, 100]);
});
