// Noise, as real pages have it: a tracker that tells the console about everything.
(() => {
  let n = 0;
  const beat = () => {
    console.log(`[analytics] heartbeat ${++n}`, { visible: document.visibilityState, queue: n % 3 });
    if (n < 12) setTimeout(beat, 120);
  };
  console.debug("[analytics] loaded");
  console.warn("[analytics] third-party cookies are blocked, falling back to local storage");
  beat();
})();
