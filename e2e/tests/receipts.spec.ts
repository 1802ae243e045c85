import { expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

test("one answer holds what an act said on a socket, stored, got wrong and changed, with pictures when asked for", async ({
  site,
  tab,
  agent,
}) => {
  site.sockets("/live", (socket) => {
    socket.onText = (text) => socket.send(`ack ${text}`);
  });
  // Nobody knows that an answer of a socket is still to come; what the act asked for by a request is waited for.
  site.json("/stock", { left: 3 }, { delay: 300 });
  await tab.goto(
    site.page(
      "/",
      `<!doctype html><title>Orders</title><button>Order</button><p role=status></p><form><label>Mail <input required></label><button>Send</button></form>
       <script>
         const socket = new WebSocket("ws://" + location.host + "/live");
         socket.onopen = () => document.title = "Ready";
         function order() {
           localStorage.last = "t0p-secret-9";
           document.querySelector("p").textContent = "Ordering";
           socket.send("order 7");
           fetch("/stock");
           socket.onmessage = ({ data }) => {
             document.querySelector("p").textContent = data;
             null.total;
           };
         }
         document.querySelector("button").onclick = order;
       </script>`,
    ),
  );
  await expect(tab).toHaveTitle("Ready");
  await front(agent, tab);
  const told = await agent.ask("interact", {
    action: "click",
    selector: "text=Order",
    action_diff: true,
    evidence: "on_mutation",
  });
  expect(told).toMatch(/message w\d+ outgoing, \/live, 7 B: order 7/);
  expect(told).toMatch(/message w\d+.* incoming, \/live, 11 B: ack order 7/);
  expect(told).toContain("stored meanwhile: localStorage: last added");
  expect(told).toMatch(/error x\d+.* TypeError: .*total.* at \/:\d+/);
  expect(told).toMatch(/status: "ack order 7"/);
  expect(told).toContain("after one from before the act");
  expect(told).not.toContain("t0p-secret-9");
  const wrong = await agent.ask("interact", { action: "click", selector: "text=Send" });
  expect(wrong).toMatch(/then: invalid field "Mail" "./);
});
