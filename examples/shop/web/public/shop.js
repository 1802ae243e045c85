const cart = new Map();
const money = (cents) => `€${(cents / 100).toFixed(2)}`;
const byId = (id) => document.getElementById(id);
let products = [];

async function load() {
  products = await fetch("/api/products").then((r) => r.json());
  byId("products").replaceChildren(
    ...products.map((p) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      name.textContent = `${p.name} ${money(p.price)}`;
      const add = document.createElement("button");
      add.textContent = `Add ${p.name}`;
      add.addEventListener("click", () => addToCart(p));
      item.append(name, add);
      return item;
    }),
  );
}

function addToCart(product) {
  cart.set(product.id, (cart.get(product.id) ?? 0) + 1);
  render();
  toast(`${product.name} added`);
}

function render() {
  let total = 0;
  byId("cart").replaceChildren(
    ...[...cart].map(([id, count]) => {
      const product = products.find((p) => p.id === id);
      total += product.price * count;
      const item = document.createElement("li");
      item.textContent = `${count} × ${product.name}`;
      return item;
    }),
  );
  byId("total").textContent = money(total);
}

function toast(text) {
  const note = document.createElement("div");
  note.className = "toast";
  note.setAttribute("role", "status");
  note.textContent = text;
  document.body.append(note);
  setTimeout(() => note.remove(), 900);
}

async function placeOrder(form) {
  const data = new FormData(form);
  const response = await fetch("/api/checkout", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: data.get("email"), items: [...cart].map(([id, count]) => ({ id, count })) }),
  });
  // A planted bug: whatever comes back is taken for an order.
  const order = await response.json();
  return order.receipt.number;
}

byId("checkout").addEventListener("submit", (event) => {
  event.preventDefault();
  byId("result").textContent = "Paying …";
  // A planted bug: nobody handles the rejection, so the page says "Paying …" for ever.
  void placeOrder(event.target).then((number) => {
    byId("result").textContent = `Thank you! Order ${number}`;
  });
});

const feed = new WebSocket(`ws://${location.host}/stock`);
feed.addEventListener("message", (event) => {
  const { item, left } = JSON.parse(event.data);
  byId("stock").textContent = `Stock: ${left} × ${item}`;
});
feed.addEventListener("close", (event) => {
  console.warn(`stock feed closed: ${event.code} ${event.reason}`);
});

// The ad comes from another site: same server, other host name.
byId("ad").src = `http://${location.hostname === "localhost" ? "127.0.0.1" : "localhost"}:${location.port}/ad.html`;
await load();
