// SortableJS by the browser's own dragging: one list, and another that takes from it.
import Sortable from "sortablejs";

const root = document.querySelector<HTMLElement>("#root")!;
root.innerHTML = `<h2>To do</h2><ul id="todo" aria-label="To do"></ul><h2>Done</h2><ul id="done" aria-label="Done"></ul>`;
const fill = (id: string, names: string[]): HTMLElement => {
  const list = document.querySelector<HTMLElement>(`#${id}`)!;
  list.style.cssText = "min-height: 40px; width: 260px; border: 1px solid; padding: 0";
  list.innerHTML = names.map((name) => `<li style="padding: 10px; list-style: none">${name}</li>`).join("");
  return list;
};
const todo = fill("todo", ["Apples", "Bread", "Cheese", "Dates"]);
const done = fill("done", ["Eggs"]);
const moves: string[] = [];
for (const list of [todo, done])
  new Sortable(list, {
    group: "all",
    animation: 150,
    onEnd: ({ item, oldIndex, newIndex }) => void moves.push(`${item.textContent} ${oldIndex}-${newIndex}`),
  });
const names = (list: HTMLElement): string => [...list.children].map((at) => at.textContent).join();
window.app = { todo: () => names(todo), done: () => names(done), moves };
