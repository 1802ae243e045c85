import { expect, test } from "vitest";
import { misfits } from "./accept.ts";

const png = { name: "Cat.PNG", type: "image/png" };
const csv = { name: "list.csv", type: "text/csv" };
const none = { name: "data.bin" };

test.each([
  ["", []],
  ["*/*", []],
  ["image/*", ["list.csv", "data.bin"]],
  [".png, .csv", ["data.bin"]],
  ["IMAGE/PNG,text/csv", ["data.bin"]],
  ["application/pdf", ["Cat.PNG", "list.csv", "data.bin"]],
  [" , ", []],
])("accept=%s", (accept, misfit) => {
  expect(misfits(accept, [png, csv, none])).toEqual(misfit);
});
