import { LitElement, html } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";

class App extends LitElement {
  static properties = { state: { state: true }, tick: { state: true } };

  constructor() {
    super();
    this.tick = 0;
    this.state = { name: "", size: "s", gift: false, items: [], next: 1, swap: 0, said: "" };
    setInterval(() => this.tick++, 30);
  }

  change(more) {
    this.state = { ...this.state, ...more };
  }

  render() {
    const { name, size, gift, items, next, swap, said } = this.state;
    return html`<main data-tick=${this.tick}>
      <label
        >Name <input .value=${live(name)} @input=${(e) => this.change({ name: e.target.value.toUpperCase() })}
      /></label>
      <label
        >Size
        <select .value=${live(size)} @change=${(e) => this.change({ size: e.target.value })}>
          <option value="s">Small</option>
          <option value="m">Medium</option>
        </select></label
      >
      <label
        ><input type="checkbox" .checked=${live(gift)} @change=${(e) => this.change({ gift: e.target.checked })} />
        Gift</label
      >
      <button @click=${() => this.change({ items: [...items, next], next: next + 1 })}>Add</button>
      <ul>
        ${repeat(
          items,
          (item) => item,
          (item) =>
            html`<li>
              Item ${item}
              <button @click=${() => this.change({ items: items.filter((other) => other !== item) })}>
                Remove ${item}
              </button>
            </li>`,
        )}
      </ul>
      ${keyed(
        swap,
        html`<button
          @mousedown=${() => this.change({ swap: swap + 1 })}
          @click=${() => this.change({ said: "swapped" })}
        >
          Swap
        </button>`,
      )}
      <output>${JSON.stringify({ name, size, gift, items, next: next - 1, swap, said })}</output>
    </main>`;
  }
}

customElements.define("the-app", App);
document.getElementById("app").append(document.createElement("the-app"));
