// What browsers bring themselves, and what is hard for tools: pickers, hovering, frames, closed shadow roots, a canvas,
// dialogs, windows and files. No library.
const root = document.querySelector<HTMLElement>("#root")!;
root.innerHTML = `
  <style>
    .menu { position: relative; display: inline-block } .menu ul { display: none; position: absolute; margin: 0; background: #eee; z-index: 2 }
    .menu:hover ul { display: block } .menu li { list-style: none; padding: 6px } label { display: block }
  </style>
  <label>Day <input type="date" id="day"></label>
  <label>Hour <input type="time" id="hour"></label>
  <label>Colour <input type="color" id="colour"></label>
  <label>Volume <input type="range" id="volume" min="0" max="100" value="20"></label>
  <div class="menu" tabindex="0">Products <ul><li id="lamps">Lamps</li><li>Tables</li></ul></div>
  <canvas id="board" width="300" height="100" role="img" aria-label="Board" style="border: 1px solid; display: block"></canvas>
  <div id="closed"></div>
  <button id="ask">Delete all</button><button id="name">Rename</button><button id="tell">About</button>
  <button id="open">Help window</button>
  <div id="zone" role="region" aria-label="Drop here" style="border: 2px dashed; padding: 20px">Drop files here</div>
  <div style="display: flex; gap: 20px">
    <iframe title="Left" id="left" style="width: 200px; height: 90px"></iframe>
    <iframe title="Right" id="right" style="width: 200px; height: 90px"></iframe>
    <iframe title="Payment" id="pay" style="width: 300px; height: 90px"></iframe>
  </div>`;
const by = <T extends HTMLElement>(id: string): T => document.querySelector<T>(`#${id}`)!;
const app: Record<string, unknown> = {
  lines: [] as number[][],
  answers: [] as unknown[],
  files: [] as string[],
  paid: "",
};
window.app = app;
for (const id of ["day", "hour", "colour", "volume"])
  by<HTMLInputElement>(id).addEventListener("change", (event) => {
    app[id] = (event.target as HTMLInputElement).value;
  });
by("lamps").addEventListener("click", () => (app["product"] = "Lamps"));

const board = by<HTMLCanvasElement>("board");
let from: number[] | undefined;
board.addEventListener("pointerdown", ({ offsetX, offsetY }) => (from = [offsetX, offsetY]));
board.addEventListener("pointerup", ({ offsetX, offsetY }) => {
  if (from) (app["lines"] as number[][]).push([...from, offsetX, offsetY].map(Math.round));
});

const shadow = by("closed").attachShadow({ mode: "closed" });
shadow.innerHTML = `<label>Secret wish <input></label><button>Wish</button>`;
shadow.querySelector("button")!.addEventListener("click", () => {
  app["wish"] = shadow.querySelector("input")!.value;
});

const answers = app["answers"] as unknown[];
by("ask").addEventListener("click", () => answers.push(confirm("Delete all?")));
by("name").addEventListener("click", () => answers.push(prompt("New name?", "old")));
by("tell").addEventListener("click", () => answers.push(alert("Version 1") ?? "told"));
by("open").addEventListener("click", () => {
  const help = window.open("about:blank", "help", "width=400,height=300")!;
  help.document.title = "Help";
  help.document.body.innerHTML = "<button>Understood</button>";
  help.document.querySelector("button")!.addEventListener("click", () => {
    app["understood"] = true;
    help.close();
  });
});

const zone = by("zone");
zone.addEventListener("dragover", (event) => event.preventDefault());
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  for (const file of event.dataTransfer!.files) (app["files"] as string[]).push(file.name);
});

by<HTMLIFrameElement>("left").srcdoc =
  `<div draggable="true" ondragstart="event.dataTransfer.setData('text/plain', 'gold')" style="padding: 20px; background: gold">Gold</div>`;
by<HTMLIFrameElement>("right").srcdoc =
  `<div ondragover="event.preventDefault()" ondrop="event.preventDefault(); parent.app.treasure = event.dataTransfer.getData('text/plain')" style="padding: 20px; background: #ddd">Chest</div>`;
// Another origin: the same server by its other name.
const other = new URL("pay", location.href.replace("127.0.0.1", "localhost"));
by<HTMLIFrameElement>("pay").src = other.href;
addEventListener("message", ({ data }) => (app["paid"] = data));
