// The whole page is written anew at each event and 30 times a second, as small programs do: no element outlives it.
const state = { name: "", size: "s", gift: false, items: [], next: 1, swap: 0, said: "" };
const app = document.getElementById("app");

function render() {
  const { name, size, gift, items, next, swap, said } = state;
  const before = document.activeElement?.id;
  app.innerHTML = `<main><label>Name <input id=name value="${name}"></label>
    <label>Size <select id=size><option value=s>Small</option><option value=m ${size === "m" ? "selected" : ""}>Medium</option></select></label>
    <label><input id=gift type=checkbox ${gift ? "checked" : ""}> Gift</label><button id=add>Add</button>
    <ul>${items.map((item) => `<li>Item ${String(item)} <button data-remove=${String(item)}>Remove ${String(item)}</button></li>`).join("")}</ul>
    <button id=swap>Swap</button><output>${JSON.stringify({ name, size, gift, items, next: next - 1, swap, said })}</output></main>`;
  if (before) document.getElementById(before)?.focus();
  const field = document.activeElement;
  if (field?.id === "name") field.setSelectionRange(name.length, name.length);
}

const change = (more) => {
  Object.assign(state, more);
  render();
};
app.addEventListener("input", ({ target }) => {
  if (target.id === "name") change({ name: target.value.toUpperCase() });
});
app.addEventListener("change", ({ target }) => {
  if (target.id === "size") change({ size: target.value });
  if (target.id === "gift") change({ gift: target.checked });
});
app.addEventListener("mousedown", ({ target }) => {
  if (target.id === "swap") change({ swap: state.swap + 1 });
});
app.addEventListener("click", ({ target }) => {
  const { items, next } = state;
  if (target.id === "add") change({ items: [...items, next], next: next + 1 });
  if (target.id === "swap") change({ said: "swapped" });
  const removed = Number(target.dataset?.remove);
  if (removed) change({ items: items.filter((item) => item !== removed) });
});
render();
setInterval(render, 30);
