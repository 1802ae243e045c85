interface Target {
  daemon: string;
  endpoints: { method: string; path: string }[];
}

/**
 * Runs in a web page: tries every endpoint of a daemon in every way that a page has, and returns what
 * it could read or open. It stands alone, because the browser gets its source text.
 */
export async function intrude({ daemon, endpoints }: Target): Promise<string[]> {
  const leaks: string[] = [];
  const payload = JSON.stringify({
    action: "click",
    what: "logs",
    selector: "text=Press",
    session: "x",
    name: "planted",
    text: "planted",
    entries: [{ seq: 1, t: Date.now(), mono: 1, level: "error", message: "planted" }],
    jsonrpc: "2.0",
    id: 1,
    method: "tools/list",
    params: {},
  });
  const within = <T>(ms: number, work: Promise<T>): Promise<T | undefined> =>
    Promise.race([work, new Promise<undefined>((done) => setTimeout(done, ms))]);

  const fetched = endpoints.flatMap(({ method, path }) => {
    const url = `${daemon}${path}`;
    const body = method === "POST" ? payload : undefined;
    if (body) navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }));
    const inits: [string, RequestInit][] = [
      ["cors", { method, body, mode: "cors", credentials: "include" }],
      [
        "cors with json",
        { method, body, mode: "cors", headers: { "content-type": "application/json", authorization: "Bearer guess" } },
      ],
      ["no-cors", { method, body, mode: "no-cors", credentials: "include" }],
      ["no-cors keepalive", { method, body, mode: "no-cors", keepalive: true }],
      ["the other method", { method: method === "POST" ? "GET" : "POST", mode: "no-cors" }],
    ];
    return inits.map(async ([name, init]) => {
      const response = await within(
        5000,
        fetch(url, init).catch(() => undefined),
      );
      if (response && response.type !== "opaque")
        leaks.push(`fetch ${name} ${method} ${path}: ${response.status} ${(await response.text()).slice(0, 100)}`);
    });
  });
  await Promise.all(fetched);

  const paths = [...new Set(endpoints.map((e) => e.path))];
  const elements = paths.map(async (path) => {
    const url = `${daemon}${path}`;
    const source = new EventSource(url);
    const image = new Image();
    const script = document.createElement("script");
    const answered = (target: EventTarget, good: string): Promise<boolean> =>
      new Promise((done) => {
        target.addEventListener(good, () => done(true));
        target.addEventListener("error", () => done(false));
      });
    const attempts = {
      EventSource: answered(source, "open"),
      img: answered(image, "load"),
      script: answered(script, "load"),
    };
    image.src = script.src = url;
    document.head.append(script);
    for (const [name, attempt] of Object.entries(attempts)) {
      if (await within(5000, attempt)) leaks.push(`${name} ${path}`);
    }
    source.close();
  });
  // Browsers make pages wait longer after each WebSocket that failed, so only those that could speak it are tried.
  const sockets = ["/stream", "/mcp", "/sync", "/"].map(async (path) => {
    const socket = new WebSocket(daemon.replace("http", "ws") + path, "mcp-ndjson");
    const opened = new Promise<boolean>((done) => {
      socket.onopen = () => done(true);
      socket.onerror = () => done(false);
    });
    if (await within(10_000, opened)) leaks.push(`WebSocket ${path}`);
    socket.close();
  });
  await Promise.all([...elements, ...sockets]);

  const frames = paths.map(async (path, i) => {
    const frame = document.createElement("iframe");
    frame.name = `frame${i}`;
    document.body.append(frame);
    const loaded = new Promise<void>((done) => (frame.onload = () => done()));
    const form = document.createElement("form");
    Object.assign(form, { action: `${daemon}${path}`, method: "post", enctype: "text/plain", target: frame.name });
    const field = document.createElement("input");
    Object.assign(field, { name: payload.slice(0, -1) + ',"x":"', value: '"}' });
    form.append(field);
    document.body.append(form);
    form.submit();
    await within(3000, loaded);
    frame.src = `${daemon}${path}`;
    await within(3000, new Promise<void>((done) => (frame.onload = () => done())));
    try {
      const text = frame.contentDocument?.body?.textContent;
      if (text) leaks.push(`iframe ${path}: ${text.slice(0, 100)}`);
    } catch {
      // another origin, as it should be
    }
    frame.remove();
    form.remove();
  });
  await Promise.all(frames);
  return leaks;
}
