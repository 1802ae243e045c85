import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

const ROWS = Array.from(
  { length: 60 },
  (_, i) => `<tr><td>Order ${i}</td><td>${i * 3} EUR</td><td><button>Cancel ${i}</button></td></tr>`,
).join("");

export const SHOP = `<header><a href="/">Shop</a><nav aria-label=Main><ul><li><a href="/new">New</a><li><a href="/sale">Sale</a></ul></nav></header>
  <main><h1>Orders</h1><form aria-label="Search orders"><label>Number <input name=q value="7"></label><label>Password <input type=password value=hunter22></label><button>Search</button></form>
  <table aria-label=Orders><thead><tr><th>Order</th><th>Total</th><th></th></tr></thead><tbody>${ROWS}</tbody></table>
  <h2>Gift</h2><p>Pay with a <b>gift card</b> here.</p><label>Gift card number <input id=gift></label><button onclick="
    const toast = document.createElement('div'); toast.setAttribute('role', 'status'); toast.textContent = 'Gift card added'; document.body.append(toast);
    document.getElementById('cart').textContent = 'Cart (1)'">Add gift card</button><a id=cart href="/cart">Cart (0)</a></main>
  <footer><a href="/imprint">Imprint</a></footer>`;

test("x", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(browserWithExtension, site, daemon, SHOP);
  const say = async (params: object) => {
    const { result, error } = await run("snapshot", params);
    console.log(JSON.stringify(params), error ?? `${result.view} ${result.shown}/${result.total} ${result.snapshot.length}\n${result.snapshot}`);
    return result;
  };
  const first = await say({});
  await say({ find: "gift card" });
  await say({ section: "Search orders" });
  await say({ section: first?.sections?.find(({ role }) => role === "table")?.ref ?? "" , depth: 1});
  await say({ section: "Gift" });
  const { cursor } = await say({});
  await run("click", { selector: "text=Add gift card" });
  await say({ since: cursor });
  await say({ since: cursor });
  await say({ section: "form" });
  await say({ section: "nothing" });
});
test("y", async ({ daemon, site, browserWithExtension }) => {
  site.page("/pay", `<title>Pay</title><h2>Payment</h2><label>Card <input></label><button>Pay now</button><iframe srcdoc="<title>Deep</title><button>Deep</button>"></iframe>`);
  const { run } = await open(browserWithExtension, site, daemon, `<main><h1>Checkout</h1><iframe src="${site.url("/pay", "localhost")}"></iframe><iframe title=Help srcdoc="<p>Help text</p><a href='/x'>More help</a>"></iframe>
   <input aria-label=Mail aria-invalid=true value=x><p role=alert>Mail is wrong</p></main>
   <div role=dialog aria-label=Cookies><p>We use cookies</p><button>Accept</button><button>Reject</button></div>${"<section><h3>Card</h3><button>Buy</button></section>".repeat(300)}`);
  const say = async (params: object) => {
    const { result, error } = await run("snapshot", params);
    console.log(JSON.stringify(params), error ?? `${result.view} ${result.shown}/${result.total} ${result.snapshot.length}\n${result.snapshot}`);
    return result;
  };
  await say({});
  await say({ find: "button deep" });
  await say({ find: "zzz" });
  await say({ section: "Checkout" });
  await say({ section: "Cookies" });
  await say({ section: "Card" });
  await say({ frame: "1" });
  await say({ section: "e9999" });
});
