import type { Choices } from "../../../src/testing/simulator/choices.js";

const texts = [
  ..."book null true NO 1 0x1F 1e3 1e400 - # << --- ... \\ \" ' <a> &amp; ]]> __proto__ constructor é 😀".split(
    " ",
  ),
  ..."\n\t\0\x1b\x7f\u0085\u2028\ufeff",
  ...["", " ", "a b", "- a", "a: b", "a\nb\n", "\r\n", "x".repeat(255), "x".repeat(256)],
];

const numbers = [
  ...[1, 2, 0, -1, 1.5, 0.1, 1e3, 1e21, 1e-7, 5e-324, 1.7976931348623157e308],
  ...[2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 63)],
];

/** Chooses a value to start with. About every other one is an order or nearly one. */
export function chooseValue(choices: Choices): unknown {
  return choices.choose(2) === 0 ? chooseOrder(choices) : chooseAny(choices, 4);
}

function chooseOrder(choices: Choices): Record<string, unknown> {
  const order = { itemId: pick(choices, texts), quantity: pick(choices, numbers) };
  switch (choices.choose(6)) {
    case 1:
      return { ...order, [pick(choices, texts)]: chooseAny(choices, 2) };
    case 2:
      return { ...order, itemId: chooseAny(choices, 1) };
    case 3:
      return { ...order, quantity: chooseAny(choices, 1) };
    default:
      return order;
  }
}

function chooseAny(choices: Choices, levels: number): unknown {
  const kind = choices.weighted([
    ["text", 3],
    ["number", 3],
    ["literal", 1],
    ["array", levels],
    ["object", levels],
  ]);
  const members = (): undefined[] => Array.from({ length: choices.choose(5) });
  if (kind === "text") return pick(choices, texts);
  if (kind === "number") return pick(choices, numbers);
  if (kind === "literal") return pick(choices, [null, true, false]);
  if (kind === "array") return members().map(() => chooseAny(choices, levels - 1));
  return Object.fromEntries(members().map(() => [pick(choices, texts), chooseAny(choices, levels - 1)]));
}

export function pick<Item>(choices: Choices, items: readonly Item[]): Item {
  return items[choices.choose(items.length)] as Item;
}
