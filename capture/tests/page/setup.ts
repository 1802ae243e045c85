// The page's clock, which a test may stop. It runs before what saves natives.
const real = performance.now.bind(performance);

/** Where the clock stands, ms; undefined: it goes. step: how far each look at it moves it. */
export const clock: { at: number | undefined; step: number } = { at: undefined, step: 0 };

performance.now = () => {
  if (clock.at === undefined) return real();
  clock.at += clock.step;
  return clock.at;
};

/** Whether the user has just acted, as the modules under test hear it. */
export const user = { active: false };
Object.defineProperty(UserActivation.prototype, "isActive", { configurable: true, get: () => user.active });
