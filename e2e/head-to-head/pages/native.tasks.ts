import type { Library } from "../task.ts";

const PAY = `<!doctype html><title>Payment</title><form><label>Card <input name="card"></label><button>Pay</button></form>
<script>document.forms[0].onsubmit = (event) => { event.preventDefault(); parent.postMessage(event.target.card.value, "*") }</script>`;

const library: Library = {
  title: "The browser's own",
  package: "",
  serve: (request, response) => {
    if (new URL(request.url ?? "/", "http://site").pathname !== "/native/pay") return false;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAY);
    return true;
  },
  tasks: [
    {
      name: "a day",
      kind: "type",
      steps: [{ do: "type", target: { text: "Day" }, text: "2026-03-14", clear: true }],
      right: () => window.app.day === "2026-03-14",
    },
    {
      name: "an hour",
      kind: "type",
      steps: [{ do: "type", target: { text: "Hour" }, text: "14:30", clear: true }],
      right: () => window.app.hour === "14:30",
    },
    {
      name: "a colour",
      kind: "type",
      steps: [{ do: "type", target: { text: "Colour" }, text: "#336699", clear: true }],
      right: () => window.app.colour === "#336699",
    },
    {
      name: "a range by its keys",
      kind: "keys",
      steps: [{ do: "key", target: { role: "slider", name: "Volume" }, key: "End" }],
      right: () => window.app.volume === "100",
    },
    {
      name: "what a menu shows on hover",
      kind: "hover",
      steps: [
        { do: "hover", target: { text: "Products" } },
        { do: "click", target: { text: "Lamps" } },
      ],
      right: () => window.app.product === "Lamps",
    },
    {
      name: "a line on a canvas",
      kind: "canvas",
      steps: [{ do: "drag", from: { role: "img", name: "Board" }, to: { dx: 60, dy: 20 } }],
      right: () => {
        const [line] = window.app.lines as number[][];
        return !!line && Math.abs(line[2]! - line[0]! - 60) <= 1 && Math.abs(line[3]! - line[1]! - 20) <= 1;
      },
    },
    {
      name: "a point of a canvas",
      kind: "canvas",
      steps: [{ do: "point", target: { role: "img", name: "Board" }, x: 31, y: 41 }],
      right: () => {
        const [line] = window.app.lines as number[][];
        return !!line && Math.abs(line[0]! - 30) <= 1.5 && Math.abs(line[1]! - 40) <= 1.5;
      },
    },
    {
      name: "a closed shadow root",
      kind: "frames and roots",
      steps: [
        { do: "type", target: { role: "textbox", name: "Secret wish" }, text: "peace" },
        { do: "click", target: { role: "button", name: "Wish" } },
      ],
      right: () => window.app.wish === "peace",
    },
    {
      name: "a form of another origin",
      kind: "frames and roots",
      steps: [
        { do: "type", target: { role: "textbox", name: "Card" }, text: "4242" },
        { do: "click", target: { role: "button", name: "Pay" } },
      ],
      right: () => window.app.paid === "4242",
    },
    {
      name: "from one iframe into another",
      kind: "drag",
      steps: [{ do: "drag", from: { text: "Gold" }, to: { text: "Chest" } }],
      right: () => window.app.treasure === "gold",
    },
    {
      name: "a file onto a zone",
      kind: "upload",
      steps: [{ do: "upload", target: { role: "region", name: "Drop here" }, file: "notes.txt" }],
      right: () => window.app.files.join() === "notes.txt",
    },
    {
      name: "confirm",
      kind: "dialogs",
      steps: [
        { do: "click", target: { role: "button", name: "Delete all" } },
        { do: "dialog", accept: true },
      ],
      right: () => window.app.answers[0] === true,
    },
    {
      name: "do not confirm",
      kind: "dialogs",
      steps: [
        { do: "click", target: { role: "button", name: "Delete all" } },
        { do: "dialog", accept: false },
      ],
      right: () => window.app.answers[0] === false,
    },
    {
      name: "prompt",
      kind: "dialogs",
      steps: [
        { do: "click", target: { role: "button", name: "Rename" } },
        { do: "dialog", accept: true, text: "Ada" },
      ],
      right: () => window.app.answers[0] === "Ada",
    },
    {
      name: "alert",
      kind: "dialogs",
      steps: [
        { do: "click", target: { role: "button", name: "About" } },
        { do: "dialog", accept: true },
      ],
      right: () => window.app.answers[0] === "told",
    },
  ],
};

export default library;
