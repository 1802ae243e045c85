import { h, render } from "preact";
import { useEffect, useState } from "preact/hooks";

function App() {
  const [tick, setTick] = useState(0);
  const [state, setState] = useState({ name: "", size: "s", gift: false, items: [], next: 1, swap: 0 });
  const [said, say] = useState("");
  const change = (more) => setState((before) => ({ ...before, ...more }));
  useEffect(() => {
    const timer = setInterval(() => setTick((n) => n + 1), 30);
    return () => clearInterval(timer);
  }, []);
  const { name, size, gift, items, next, swap } = state;
  return h(
    "main",
    { "data-tick": tick },
    h(
      "label",
      null,
      "Name ",
      h("input", { value: name, onInput: (e) => change({ name: e.target.value.toUpperCase() }) }),
    ),
    h(
      "label",
      null,
      "Size ",
      h(
        "select",
        { value: size, onChange: (e) => change({ size: e.target.value }) },
        h("option", { value: "s" }, "Small"),
        h("option", { value: "m" }, "Medium"),
      ),
    ),
    h(
      "label",
      null,
      h("input", { type: "checkbox", checked: gift, onChange: (e) => change({ gift: e.target.checked }) }),
      " Gift",
    ),
    h("button", { onClick: () => setState((b) => ({ ...b, items: [...b.items, b.next], next: b.next + 1 })) }, "Add"),
    h(
      "ul",
      null,
      items.map((item) =>
        h(
          "li",
          { key: item },
          `Item ${String(item)} `,
          h(
            "button",
            { onClick: () => setState((b) => ({ ...b, items: b.items.filter((other) => other !== item) })) },
            `Remove ${String(item)}`,
          ),
        ),
      ),
    ),
    h(
      "button",
      { key: `swap${swap}`, onMouseDown: () => change({ swap: swap + 1 }), onClick: () => say("swapped") },
      "Swap",
    ),
    h("output", null, JSON.stringify({ name, size, gift, items, next: next - 1, swap, said })),
  );
}

render(h(App), document.getElementById("app"));
