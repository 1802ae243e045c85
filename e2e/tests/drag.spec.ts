import { expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

/** A list that is sorted with the mouse, an editor that hears only of input, and a question before something is deleted. */
const PAGE = `<!doctype html><title>Board</title>
  <ul style="padding:0;width:200px"><li draggable=true>Milk</li><li draggable=true>Bread</li><li draggable=true>Tea</li></ul>
  <div id=note contenteditable role=textbox aria-label=Note data-slate-editor style="min-height:20px;border:1px solid"></div>
  <button onclick="if (confirm('Delete the board?')) document.title = 'Deleted'">Delete</button>
  <script>
    let held;
    for (const item of document.querySelectorAll("li")) {
      item.addEventListener("dragstart", () => (held = item));
      item.addEventListener("dragover", (event) => event.preventDefault());
      item.addEventListener("drop", () => item.after(held));
    }
    note.addEventListener("beforeinput", (event) => { event.preventDefault(); note.textContent += event.data ?? ""; });
  </script>`;

test("an agent sorts a list, writes into an editor and answers a question, one call for each", async ({
  site,
  tab,
  agent,
}) => {
  tab.on("dialog", () => undefined); // without a listener the driver answers
  await tab.goto(site.page("/board", PAGE));
  await front(agent, tab);
  const dragged = await agent.ask("interact", { action: "drag", selector: "text=Milk", to: "text=Tea" });
  expect(dragged).toContain('listitem "Milk"');
  expect(dragged).toContain("by real input events");
  await expect(tab.locator("li")).toHaveText(["Bread", "Tea", "Milk"]);
  const typed = await agent.ask("interact", { action: "type", selector: "role=textbox[name=Note]", text: "done 🎉" });
  expect(typed).toContain('now "done 🎉"');
  expect(typed).toContain("inserted by slate");
  const kept = await agent.ask("interact", { action: "click", selector: "text=Delete", dialog: "dismiss" });
  expect(kept).toContain('confirm dialog "Delete the board?": dismiss');
  await expect(tab).toHaveTitle("Board");
  await agent.ask("interact", { action: "click", selector: "text=Delete", dialog: "accept" });
  await expect(tab).toHaveTitle("Deleted");
});
