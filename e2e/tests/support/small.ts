// Small applications, each of its own situation, as somebody serves them: as they should be, or broken in one place.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import type { Agent } from "../../harness.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Small {
  /** What of it is broken in the broken one. */
  broken: string;
  /** Of its page, behind the doctype. BROKEN is a constant of its scripts. */
  html?: string;
  /** A script instead, with imports of npm's packages; the page has a <div id="root">. */
  script?: string;
  /** Further documents, by their path below the application's. */
  more?: Record<string, string>;
  /** Answers of its server. */
  api?: (path: string, request: IncomingMessage, response: ServerResponse, broken: boolean, body: string) => boolean;
  /** What a user does. */
  use?: (page: Page) => Promise<void>;
  /** What an agent does. */
  work?: (agent: Agent) => Promise<void>;
  /** Cypress has no words for it. */
  gaps?: boolean;
}

const json = (response: ServerResponse, value: unknown, status = 200): true => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  return true;
};

export const APPS: Record<string, Small> = {
  form: {
    broken: "the server answers 500",
    html: `<title>Register</title><h1>Register</h1><form novalidate>
      <label>E-mail <input name=email type=email></label> <span role=alert id=wrong></span>
      <label>Password <input name=password type=password></label>
      <label>Country <select name=country><option>Chile</option><option>Kenya</option></select></label>
      <label><input type=checkbox name=news> Send me news</label>
      <button>Register</button></form><p id=done></p>
      <script>
        const form = document.forms[0];
        form.onsubmit = async (e) => {
          e.preventDefault();
          const mail = form.email.value;
          wrong.textContent = mail.includes("@") ? "" : "An address has an @";
          if (!mail.includes("@")) return;
          const answer = await fetch("api/register", { method: "POST", body: JSON.stringify({ mail }) });
          const told = await answer.json();
          done.textContent = answer.ok ? "Welcome, your number is " + told.number : "Something went wrong";
        };
      </script>`,
    api: (path, _, response, broken) =>
      path === "api/register" &&
      json(response, { number: Math.floor(1e6 + Math.random() * 1e6), ok: true }, broken ? 500 : 201),
    use: async (page) => {
      await page.getByLabel("E-mail").pressSequentially("ada");
      await page.getByRole("button", { name: "Register" }).click();
      await page.getByText("An address has an @").waitFor();
      await page.getByLabel("E-mail").pressSequentially("@example.org");
      await page.getByLabel("Password").pressSequentially("opensesame");
      await page.getByLabel("Country").focus();
      await page.keyboard.press("ArrowDown");
      await page.getByLabel("Send me news").check();
      await page.getByRole("button", { name: "Register" }).click();
      await page.getByText("Welcome").waitFor();
    },
  },
  routes: {
    broken: "a link does nothing",
    html: `<title>Books</title><nav><a href="./">Books</a></nav><main id=main></main>
      <script>
        const base = location.pathname.replace(/book\\/.*/, "");
        async function show() {
          const id = location.pathname.slice(base.length).replace("book/", "");
          if (id) {
            const book = await (await fetch(base + "api/book/" + id)).json();
            main.innerHTML = "<h1>" + book.title + "</h1><p>by " + book.author + "</p>";
            return;
          }
          const books = await (await fetch(base + "api/books")).json();
          main.innerHTML = "<h1>All books</h1>" + books.map((b) => "<p><a href='" + base + "book/" + b.id + "'>" + b.title + "</a></p>").join("");
        }
        onclick = (e) => {
          if (e.target.tagName !== "A") return;
          e.preventDefault();
          if (BROKEN && e.target.textContent === "Emma") return;
          history.pushState({}, "", e.target.href);
          show();
        };
        onpopstate = show;
        show();
      </script>`,
    api: (path, _, response) => {
      const books = [
        { id: 7001, title: "Emma", author: "Jane Austen" },
        { id: 7002, title: "Middlemarch", author: "George Eliot" },
      ];
      if (path === "api/books") return json(response, books);
      const book = books.find(({ id }) => path === `api/book/${id}`);
      return book ? json(response, book) : false;
    },
    work: async (agent) => {
      await agent.ask("interact", { action: "click", selector: "text=Emma" });
      await agent.ask("interact", { action: "wait_for", selector: "text=by Jane Austen" });
      await agent.ask("interact", { action: "click", selector: 'role=link[name="Books"]' });
      await agent.ask("interact", { action: "click", selector: "text=Middlemarch" });
      await agent.ask("interact", { action: "wait_for", selector: "text=by George Eliot" });
    },
  },
  noisy: {
    broken: "a text is not shown",
    html: `<title>Noise</title><style>button { text-transform: uppercase }</style><button>save it</button>
      <details><summary>More</summary><p>Inside</p></details><label>Search <input id=word></label><p id=said></p><p id=quoted></p><p id=found></p>
      <script>
        console.error("failed", { code: 5 }, new Error("boom"));
        console.error("%s of %d", "one", 3);
        setTimeout(() => { throw "a thrown text"; });
        document.querySelector("button").onclick = () => {
          said.textContent = BROKEN ? "" : "\\u200fשלום\\u200e עולם";
          quoted.textContent = "it's '''quoted''' on " + new Date().toLocaleDateString("en", { dateStyle: "full" });
        };
        word.oninput = async () => (found.textContent = await (await fetch("api/words/" + word.value)).json());
      </script>`,
    api: (path, _, response) => path.startsWith("api/words/") && json(response, path.slice(10)),
    use: async (page) => {
      await page.locator("button").click();
      await page.getByText("quoted").waitFor();
      await page.getByText("More").click();
      await page.getByLabel("Search").pressSequentially("tea", { delay: 100 });
      await page.getByText("tea", { exact: true }).waitFor();
    },
  },
  list: {
    broken: "another text is shown",
    html: `<title>Tasks</title><h1>Tasks</h1><ul id=tasks><li>Water the plants <button>Delete plants</button></li><li>Feed the cat <button>Delete cat</button></li></ul>
      <p id=left>2 tasks</p><div id=toasts></div>
      <script>
        onclick = ({ target }) => {
          if (target.tagName !== "BUTTON" || !confirm("Delete this task?")) return;
          target.parentElement.remove();
          left.textContent = tasks.children.length + (BROKEN ? " things" : tasks.children.length === 1 ? " task" : " tasks");
          const toast = Object.assign(document.createElement("div"), { className: "toast", textContent: "Deleted at " + new Date().toLocaleTimeString() });
          toast.setAttribute("role", "status");
          toasts.append(toast);
          setTimeout(() => toast.remove(), 2500);
        };
      </script>`,
    use: async (page) => {
      page.once("dialog", (dialog) => void dialog.accept());
      await page.getByRole("button", { name: "Delete plants" }).click();
      await page.getByText("1 task", { exact: true }).waitFor();
      await page.getByRole("status").waitFor({ state: "detached" });
    },
  },
  frame: {
    broken: "a field loses what is typed",
    html: `<title>Order</title><h1>Order</h1><iframe title=Address src="address?x=1" width=500 height=120></iframe><p id=to></p>
      <script>onmessage = ({ data }) => (to.textContent = "It goes to " + data);</script>`,
    more: {
      address: `<title>Address</title><label>Street <input id=street></label><button>Use it</button>
        <script>
          if (BROKEN) street.oninput = () => (street.value = "");
          document.querySelector("button").onclick = () => parent.postMessage(street.value, "*");
        </script>`,
    },
    use: async (page) => {
      const frame = page.frameLocator("iframe");
      await frame.getByLabel("Street").pressSequentially("Main Street 12");
      await frame.getByRole("button", { name: "Use it" }).click();
      await page.getByText("It goes to Main Street 12").waitFor();
    },
  },
  shadow: {
    broken: "an error is thrown",
    html: `<title>Stars</title><h1>Stars</h1><star-rating></star-rating>
      <script>
        customElements.define("star-rating", class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({ mode: "open" });
            root.innerHTML = "<button>One</button><button>Two</button><output id=given>none</output>";
            // What a name may hold, and code may not.
            root.querySelectorAll("button")[1].ariaLabel = 'Two */ // \\u2028 \\\\ " \\' \` \${1} #{2} 😀 שלום \\u202e </scr' + 'ipt>';
            root.addEventListener("click", ({ target }) => {
              if (target.tagName !== "BUTTON") return;
              root.getElementById("given").textContent = "given: " + target.textContent;
              if (BROKEN) throw new TypeError("stars is undefined");
            });
          }
        });
      </script>`,
    use: async (page) => {
      await page.getByText("Two").click();
      await page.getByText("given: Two").waitFor();
    },
  },
  react: {
    broken: "a key does nothing",
    script: `import { createElement as h, useState } from "react";
      import { createRoot } from "react-dom/client";
      function App() {
        const [todos, setTodos] = useState(["Buy milk"]);
        const [draft, setDraft] = useState("");
        const add = (e) => {
          if (e.key !== "Enter" || BROKEN) return;
          setTodos([...todos, draft]);
          setDraft("");
        };
        return h("main", null, h("h1", null, "todos"),
          h("input", { "aria-label": "New todo", value: draft, onChange: (e) => setDraft(e.target.value), onKeyDown: add }),
          h("ul", null, todos.map((t, i) => h("li", { key: i }, t))), h("p", null, todos.length + " items"));
      }
      createRoot(document.getElementById("root")).render(h(App));`,
    use: async (page) => {
      await page.getByLabel("New todo").pressSequentially("Call “Ada” & 'Bob' `now` ${x}");
      await page.keyboard.press("Enter");
      await page.getByText("2 items").waitFor();
    },
  },
  vue: {
    broken: "a computed text is wrong",
    script: `import { createApp, computed, ref } from "vue/dist/vue.esm-bundler.js";
      createApp({
        setup() {
          const size = ref("Small"), count = ref(1);
          const price = computed(() => (size.value === "Large" ? 5 : 3) * count.value - (BROKEN ? 1 : 0));
          return { size, count, price };
        },
        template: \`<h1>Coffee</h1><label>Size <select v-model="size"><option>Small</option><option>Large</option></select></label>
          <button @click="count++">One more</button><p id="price">{{ count }} for {{ price }} €</p>\`,
      }).mount("#root");`,
    use: async (page) => {
      await page.getByLabel("Size").focus();
      await page.keyboard.press("ArrowDown");
      await page.getByRole("button", { name: "One more" }).click();
      await page.getByText("2 for 10 €").waitFor();
    },
  },
  preact: {
    broken: "a box is not heard",
    script: `import { h, render } from "preact";
      import { useState } from "preact/hooks";
      function App() {
        const [agreed, setAgreed] = useState(false), [open, setOpen] = useState(false);
        return h("main", null, h("h1", null, "Terms"),
          h("label", null, h("input", { type: "checkbox", checked: agreed, onChange: (e) => BROKEN || setAgreed(e.target.checked) }), " I agree"),
          h("button", { disabled: !agreed, onClick: () => setOpen(true) }, "Go on"),
          open && h("div", { role: "dialog", "aria-label": "Thanks" }, h("p", null, "Thank you for agreeing")));
      }
      render(h(App), document.getElementById("root"));`,
    use: async (page) => {
      await page.getByText("I agree").click();
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByText("Thank you for agreeing").waitFor();
    },
  },
  lit: {
    broken: "the answer is not found",
    script: `import { LitElement, html } from "lit";
      customElements.define("city-weather", class extends LitElement {
        static properties = { told: {} };
        async ask() {
          const city = this.renderRoot.querySelector("input").value;
          const answer = await fetch("api/weather" + (BROKEN ? "s" : "") + "?city=" + city);
          this.told = answer.ok ? (await answer.json()).weather : "not known";
        }
        render() {
          return html\`<input placeholder="City"><button @click=\${this.ask}>Ask</button><p>\${this.told ?? "nothing asked"}</p>\`;
        }
      });
      document.getElementById("root").append(document.createElement("city-weather"));`,
    api: (path, _, response) => path === "api/weather" && json(response, { weather: "Rain and wind" }),
    work: async (agent) => {
      await agent.ask("interact", { action: "type", selector: "placeholder=City", text: "Bergen" });
      await agent.ask("interact", { action: "click", selector: "text=Ask" });
      await agent.ask("interact", { action: "wait_for", selector: "text=Rain and wind" });
    },
  },
  material: {
    broken: "an error is logged",
    script: `import "@material/web/button/filled-button.js";
      import "@material/web/checkbox/checkbox.js";
      import "@material/web/textfield/filled-text-field.js";
      document.getElementById("root").innerHTML = \`<h1>Profile</h1><md-filled-text-field label="Nickname"></md-filled-text-field>
        <label><md-checkbox aria-label="Public" touch-target="wrapper"></md-checkbox> Public</label><md-filled-button>Save</md-filled-button><p id="saved"></p>\`;
      document.querySelector("md-filled-button").onclick = () => {
        const name = document.querySelector("md-filled-text-field").value;
        document.getElementById("saved").textContent = name + " is saved" + (document.querySelector("md-checkbox").checked ? ", for all to see" : "");
        if (BROKEN) console.error("profile: the cache is stale");
      };`,
    use: async (page) => {
      await page.getByLabel("Nickname").pressSequentially("ada");
      await page.getByRole("checkbox", { name: "Public" }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("ada is saved, for all to see").waitFor();
    },
  },
};

/** Serves the applications, each below its name. */
export class SmallSite {
  private constructor(
    readonly server: Server,
    readonly url: string,
  ) {}

  static async start(broken: boolean, scripts: ReadonlyMap<string, string>): Promise<SmallSite> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => (body += part));
      request.on("end", () => {
        const [, name = "", ...rest] = (request.url ?? "/").replace(/[?#].*/, "").split("/");
        const app = APPS[name];
        const path = rest.join("/");
        if (app?.api?.(path, request, response, broken, body)) return;
        const html =
          path === "" || path.startsWith("book/")
            ? app && (app.html ?? '<title>App</title><div id=root></div><script src="app.js"></script>')
            : app?.more?.[path];
        const script = path === "app.js" ? scripts.get(name) : undefined;
        if (script !== undefined) return response.writeHead(200, { "content-type": "text/javascript" }).end(script);
        if (html === undefined) return response.writeHead(404, { "content-type": "text/plain" }).end("not here");
        response
          .writeHead(200, { "content-type": "text/html; charset=utf-8" })
          .end(
            `<!doctype html><html lang=en><meta charset=utf-8><link rel=icon href="data:,"><script>const BROKEN = ${broken};</script>${html}`,
          );
      });
    });
    await new Promise<void>((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
    return new SmallSite(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => this.server.close(() => done()));
    this.server.closeAllConnections();
    await closed;
  }
}

/** bundles gives the scripts of the applications that are made with packages of npm. */
export async function bundles(): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  await Promise.all(
    Object.entries(APPS).map(async ([name, { script }]) => {
      if (script === undefined) return;
      const { outputFiles } = await build({
        stdin: { contents: script, resolveDir: root, loader: "js" },
        bundle: true,
        write: false,
        format: "iife",
        define: {
          "process.env.NODE_ENV": '"production"',
          __VUE_OPTIONS_API__: "true",
          __VUE_PROD_DEVTOOLS__: "false",
          __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
        },
        logLevel: "error",
      });
      made.set(name, outputFiles[0]!.text);
    }),
  );
  return made;
}
