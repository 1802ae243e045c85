// What the agent finds in its isolated world: closed shadow roots, and a worker that answers. It runs before the agent.
const closed = new WeakMap<Element, ShadowRoot>();
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) {
  const root = attach.call(this, init);
  closed.set(this, root);
  return root;
};

/** What the worker was asked, and what it answers. */
export const worker: { asked: unknown[]; answer: unknown } = { asked: [], answer: null };

Object.assign(globalThis, {
  chrome: {
    dom: { openOrClosedShadowRoot: (host: Element) => closed.get(host) ?? null },
    runtime: {
      id: "test",
      sendMessage: async (message: unknown) => {
        worker.asked.push(message);
        return worker.answer;
      },
    },
  },
});
