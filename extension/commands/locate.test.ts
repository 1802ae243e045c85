import { expect, test } from "vitest";
import { isLike } from "./locate.ts";

test("an address is like a pattern when it is of its site and its path differs in what is any part only", () => {
  const form = "https://pay.example/form/*";
  for (const url of ["https://pay.example/form/17", "https://pay.example/form/18/?a=b#c", "https://PAY.example/form/x"])
    expect(isLike(form, url), url).toBe(true);
  for (const url of [
    "https://pay.example/form",
    "https://pay.example/form/1/2",
    "https://pay.example/other/1",
    "http://pay.example/form/1",
    "https://pay.example:8443/form/1",
    "https://evil.example/form/1",
    "http://localhost/form/1",
    "about:blank",
    "",
  ])
    expect(isLike(form, url), url).toBe(false);
});

test("servers of this machine are one site, whatever their ports are", () => {
  const pattern = "http://localhost:3000/inner";
  for (const url of [
    "http://127.0.0.1:5173/inner",
    "http://[::1]/inner",
    "http://127.0.0.2/inner",
    "https://app.localhost/inner",
  ])
    expect(isLike(pattern, url), url).toBe(true);
  for (const url of ["http://localhost.example/inner", "http://127.0.0.1.example/inner", "http://128.0.0.1/inner"])
    expect(isLike(pattern, url), url).toBe(false);
});
