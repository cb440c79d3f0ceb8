import type { Choices } from "../../../src/testing/simulator/choices.js";
import type { FuzzSubject } from "./subject.js";
import { chooseValue, pick } from "./values.js";

/** Creates one body: a valid one with up to four mutations. */
export function chooseBody(subject: FuzzSubject, choices: Choices): Uint8Array {
  let body = seedBody(subject, choices);
  for (let left = choices.choose(5); left > 0; left--) body = mutate(body, subject, choices);
  return body;
}

function seedBody(subject: FuzzSubject, choices: Choices): Buffer {
  return Buffer.from(subject.write(chooseValue(choices), choices));
}

function mutate(body: Buffer, subject: FuzzSubject, choices: Choices): Buffer {
  const at = choices.choose(body.length + 1);
  const span = body.subarray(at, at + choices.choose(20));
  const token = (): Buffer => Buffer.from(pick(choices, subject.tokens));
  const mutation = choices.weighted([
    ["insert", 6],
    ["flip", 4],
    ["repeat", 3],
    ["drop", 3],
    ["splice", 3],
    ["truncate", 2],
    ["nest", 2],
    ["run", 1],
  ]);
  switch (mutation) {
    case "insert":
      return insert(body, at, token());
    case "flip":
      return flip(body, choices);
    case "repeat":
      return insert(body, choices.choose(body.length + 1), repeat(span, 1 + choices.choose(20)));
    case "drop":
      return Buffer.concat([body.subarray(0, at), body.subarray(at + span.length)]);
    case "splice": {
      const other = seedBody(subject, choices);
      return Buffer.concat([body.subarray(0, at), other.subarray(choices.choose(other.length + 1))]);
    }
    case "truncate":
      return body.subarray(0, at);
    case "nest": {
      const [open, close] = pick(choices, subject.brackets);
      const depth = chooseLength(choices);
      return Buffer.concat([repeat(Buffer.from(open), depth), body, repeat(Buffer.from(close), depth)]);
    }
    case "run":
      return insert(body, at, repeat(choices.choose(2) === 0 ? token() : span, chooseLength(choices)));
  }
}

/** Mostly short, because long bodies are slow. Sometimes near the limits of depth and size, or far beyond. */
function chooseLength(choices: Choices): number {
  const length = choices.weighted([
    ["few", 12],
    ["around the depth limit", 8],
    ["hundreds", 4],
    ["thousands", 1],
  ]);
  if (length === "few") return choices.choose(8);
  if (length === "around the depth limit") return 28 + choices.choose(8);
  return length === "hundreds" ? 100 + choices.choose(900) : 1000 * (1 + choices.choose(40));
}

function insert(body: Buffer, at: number, piece: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, at), piece, body.subarray(at)]);
}

/** Repeats a piece up to 100,000 bytes, which is more than a service accepts. */
function repeat(piece: Buffer, times: number): Buffer {
  return Buffer.alloc(Math.min(100_000, piece.length * times), piece);
}

function flip(body: Buffer, choices: Choices): Buffer {
  const flipped = Buffer.from(body);
  for (let left = 1 + choices.choose(4); left > 0 && flipped.length > 0; left--) {
    const at = choices.choose(flipped.length);
    flipped[at] =
      choices.choose(2) === 0 ? choices.choose(256) : (flipped[at] ?? 0) ^ (1 << choices.choose(8));
  }
  return flipped;
}
