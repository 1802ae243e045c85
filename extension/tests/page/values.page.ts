import { describe, expect, test } from "vitest";
import type { ActResult } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { check } from "../../dom-agent/act/check.ts";
import { select } from "../../dom-agent/act/select.ts";
import { type } from "../../dom-agent/act/type.ts";
import type { Environment } from "../../dom-agent/environment.ts";
import { book, problem, put, within } from "./world.ts";

/** Acts and settles, as the agent does. */
async function settled(work: (environment: Environment) => Promise<Acted>): Promise<ActResult> {
  const environment = within(3000);
  const { result } = await work(environment);
  await environment.act.settle();
  return result;
}

describe("the value of a result", () => {
  test("is what is in the field once the act has settled, with what was typed where the page changed it", async () => {
    const field = put("<input x aria-label=a>") as HTMLInputElement;
    expect(await settled((at) => type({ selector: "input", text: "one" }, at))).toMatchObject({ value: "one" });
    expect(await settled((at) => type({ selector: "input", text: "" }, at))).not.toHaveProperty("set_to");
    field.oninput = () => setTimeout(() => (field.value = "other"));
    const changed = await settled((at) => type({ selector: "input", text: "2" }, at));
    expect(changed).toMatchObject({ value: "other", set_to: "one2", matched: { value: "other" } });
    field.oninput = () => setTimeout(() => (field.value = ""));
    const emptied = await settled((at) => type({ selector: "input", text: "3", clear: true }, at));
    expect(emptied).toMatchObject({ value: "", set_to: "3" });
  });
  test("is read from the field that was rendered in its place", async () => {
    const field = put("<input x aria-label=a>");
    field.oninput = () => setTimeout(() => put("<input aria-label=a value=new>"));
    expect(await settled((at) => type({ selector: "input", text: "old" }, at))).toMatchObject({
      value: "new",
      set_to: "old",
    });
  });
  test("stays what was seen last of what is gone", async () => {
    put("<input x aria-label=a>").oninput = () => setTimeout(() => put(""));
    const gone = await settled((at) => type({ selector: "input", text: "old" }, at));
    expect(gone.value).toBe("old");
    expect(gone).not.toHaveProperty("set_to");
  });
  test("never tells a password, and tells that it was emptied", async () => {
    const field = put("<input x type=password>") as HTMLInputElement;
    const kept = await settled((at) => type({ selector: "input", text: "secret" }, at));
    expect(kept.value).toBe("••••••");
    expect(kept).not.toHaveProperty("set_to");
    field.oninput = () => setTimeout(() => (field.value = ""));
    expect(await settled((at) => type({ selector: "input", text: "s" }, at))).toMatchObject({
      value: "",
      set_to: "••••••",
    });
  });
  test("is the state that a box has in the end", async () => {
    const box = put("<input x type=checkbox>") as HTMLInputElement;
    expect(await settled((at) => check({ selector: "input" }, at))).not.toHaveProperty("set_to");
    box.checked = false;
    let changes = 0;
    box.onchange = () => changes++;
    const running = settled((at) => {
      const later = check({ selector: "input" }, at);
      // Once it was seen checked.
      void later.then(() => (box.checked = false));
      return later;
    });
    expect(await running).toMatchObject({ value: "false", set_to: "true", matched: { checked: false } });
    expect(changes).toBe(1);
  });
  test("is the option that is chosen in the end", async () => {
    const list = put("<select x><option value=0>one<option value=1>two</select>") as HTMLSelectElement;
    expect(await settled((at) => select({ selector: "select", value: "two" }, at))).toMatchObject({
      value: "1",
      option: "two",
    });
    list.value = "0";
    list.onchange = () => setTimeout(() => (list.value = "0"));
    expect(await settled((at) => select({ selector: "select", value: "two" }, at))).toMatchObject({
      value: "0",
      set_to: "1",
      matched: { value: "one" },
    });
  });
  test("of a list of many is all that is chosen", async () => {
    const list = put("<select x multiple><option selected>a<option>b</select>") as HTMLSelectElement;
    const kept = await settled((at) => select({ selector: "select", value: "b" }, at));
    expect(kept.value).toBe("a,b");
    expect(kept).not.toHaveProperty("set_to");
    expect(kept).not.toHaveProperty("option");
    list.onchange = () => setTimeout(() => (list.options[1]!.selected = false));
    list.options[1]!.selected = false;
    expect(await settled((at) => select({ selector: "select", value: "b" }, at))).toMatchObject({
      value: "a",
      set_to: "a,b",
    });
  });
});

describe("an option", () => {
  const choose = async (value: string): Promise<string> => {
    const { option, value: chosen } = (await select({ selector: "select", value }, within(0))).result;
    return `${chosen} ${option ?? ""}`;
  };
  test("is meant by its value, else by its label, else by a part", async () => {
    put("<select><option value=0>1<option value=1>2<option value=2>3<option value=big>Large box</select>");
    expect(await choose("1")).toBe("1 2");
    expect(await choose("3")).toBe("2 3");
    expect(await choose("LARGE  BOX")).toBe("big Large box");
    expect(await choose("arge")).toBe("big Large box");
    put("<select><option>a<option>ab<option value=x>b</select>");
    expect(await choose("a")).toBe("a ");
    expect(await choose("b")).toBe("x b");
  });
  test("that fits as well as another one is not guessed", async () => {
    put("<select><option value=a>Springfield<option value=b>Springfield<option value=c>Spring</select>");
    expect(await problem(() => choose("Springfield"))).toEqual({
      code: "ambiguous_target",
      message: '2 options fit "Springfield": "Springfield" (value "a"), "Springfield" (value "b").',
    });
    expect(await choose("b")).toBe("b Springfield");
    expect(await choose("Spring")).toBe("c Spring");
    put("<select><option value=a>one<option value=a>two</select>");
    expect((await problem(() => choose("a"))).code).toBe("ambiguous_target");
    expect(await choose("two")).toBe("a two");
  });
  test("that stands twice is one", async () => {
    put("<select><option value=us>United States<option value=fr>France<option value=us>United States</select>");
    expect(await choose("United States")).toBe("us United States");
    expect(await choose("us")).toBe("us United States");
  });
  test("that is not there is told with those that are", async () => {
    put("<select><option>a<option value=1>b</select>");
    expect(await problem(() => choose("zz"))).toEqual({
      code: "option_not_found",
      message: 'No option is called "zz". There are: "a", "b" (value "1").',
    });
  });
  test("of a list that a page built is one of its own, and never one of other lists", async () => {
    const list = (id: string): string => `<ul role=listbox id=${id}><li role=option>Pear<li role=option>Pear tree</ul>`;
    put(
      `${list("one")}<button role=combobox aria-expanded=true aria-controls=two>Box</button>${list("two")}
       <button role=combobox aria-expanded=true id=any>Any</button>`,
    );
    const pressed: string[] = [];
    document.body.onclick = ({ target }) => void pressed.push((target as Element).closest("ul")?.id ?? "");
    const { value } = (await select({ selector: "text=Box", value: "pear" }, within(3000))).result;
    expect(value).toBe("Pear");
    await select({ selector: "#one", value: "Pear" }, within(3000));
    expect(pressed).toEqual(["two", "one"]);
    const several = await problem(() => select({ selector: "#any", value: "Pear" }, within(300)));
    expect(several).toMatchObject({
      code: "option_not_found",
      message: 'No option is called "Pear". There are: none.',
    });
    expect(pressed.filter((at) => at)).toEqual(["two", "one"]);
    document.body.onclick = null;
  });
});

test("the result of an act says by which frame it was, and that another element was taken for the one that was meant", async () => {
  const refs = book();
  const field = put("<input x aria-label=a>");
  const ref = refs.refOf(field);
  const environment = { ...within(3000, refs, "2"), heals: 0 };
  field.oninput = () => setTimeout(() => ((field as HTMLInputElement).value = "other"));
  const { result } = await type({ ref, text: "one" }, environment);
  await environment.act.settle();
  expect(result).toMatchObject({ value: "other", matched: { frame: "2" } });
  expect(result).not.toHaveProperty("healed");
  put("<input aria-label=a>");
  const again = await type({ ref, text: "two" }, environment);
  expect(again.result).toMatchObject({ healed: true });
  const later = await type({ ref, text: "3" }, { ...environment, heals: refs.heals });
  expect(later.result).not.toHaveProperty("healed");
});
