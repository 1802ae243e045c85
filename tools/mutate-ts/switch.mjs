// What the breaks of instrumented code call. It runs before that code, in a page or in Node, and uses nothing around it.

/** Installs $m, which says whether a break is on and notes that it was reached, and $step, which ends loops. */
export function install(now) {
  let steps = 0;
  const clock = performance.now.bind(performance); // tests may stop the page's
  // Loops end after so many ms from now.
  const allow = (ms) => void (state.until = clock() + ms);
  const state = { now, reached: new Set(), until: Infinity, allow };
  globalThis.$mutate = state;
  globalThis.$m = (id) => {
    state.reached.add(id);
    return id === state.now;
  };
  globalThis.$step = () => {
    if (++steps % 256 === 0 && clock() > state.until) throw new Error("a loop has no end");
  };
}
