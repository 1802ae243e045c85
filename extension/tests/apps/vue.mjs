import { createApp, h, onMounted, reactive } from "vue";

const App = {
  setup() {
    const state = reactive({ tick: 0, name: "", size: "s", gift: false, items: [], next: 1, swap: 0, said: "" });
    onMounted(() => setInterval(() => state.tick++, 30));
    return () =>
      h("main", { "data-tick": state.tick }, [
        h("label", [
          "Name ",
          h("input", { value: state.name, onInput: (e) => (state.name = e.target.value.toUpperCase()) }),
        ]),
        h("label", [
          "Size ",
          h("select", { value: state.size, onChange: (e) => (state.size = e.target.value) }, [
            h("option", { value: "s" }, "Small"),
            h("option", { value: "m" }, "Medium"),
          ]),
        ]),
        h("label", [
          h("input", { type: "checkbox", checked: state.gift, onChange: (e) => (state.gift = e.target.checked) }),
          " Gift",
        ]),
        h("button", { onClick: () => state.items.push(state.next++) }, "Add"),
        h(
          "ul",
          state.items.map((item) =>
            h("li", { key: item }, [
              `Item ${String(item)} `,
              h(
                "button",
                { onClick: () => (state.items = state.items.filter((other) => other !== item)) },
                `Remove ${String(item)}`,
              ),
            ]),
          ),
        ),
        h(
          "button",
          { key: `swap${state.swap}`, onMousedown: () => state.swap++, onClick: () => (state.said = "swapped") },
          "Swap",
        ),
        h(
          "output",
          JSON.stringify({
            name: state.name,
            size: state.size,
            gift: state.gift,
            items: state.items,
            next: state.next - 1,
            swap: state.swap,
            said: state.said,
          }),
        ),
      ]);
  },
};

createApp(App).mount("#app");
