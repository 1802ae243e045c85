// What the breaks of instrumented code call. It runs before that code, in a page or in Node, and uses nothing around it.

/** Installs $m, which says whether a break is on and notes that it was reached, and $step, which ends loops. */
export function install(now) {
  const state = { now, reached: new Set(), until: Infinity };
  let steps = 0;
  globalThis.$mutate = state;
  globalThis.$m = (id) => {
    state.reached.add(id);
    return id === state.now;
  };
  globalThis.$step = () => {
    if (++steps % 256 === 0 && performance.now() > state.until) throw new Error("a loop has no end");
  };
}
