import { realpathSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, installPacked, manifest } from "../support/built.js";
import { peerOf } from "./peers.js";

const subpaths = Object.entries(peerOf).map(([subpath, peer]) => ({
  specifier: subpath.replace(".", manifest.name),
  peer,
}));

/** Prints how many names a module has, or the message with which it fails. */
const outcome = (load: string): string =>
  `${load}.then((m) => Object.keys(m).length, (error) => error.message).then((x) => console.log(JSON.stringify(x)))`;
const imported = (specifier: string): string => outcome(`import("${specifier}")`);
const required = (specifier: string): string =>
  outcome(`new Promise((resolve) => resolve(require("${specifier}")))`);

describe("a subpath whose peer is not installed", () => {
  let consumer: Consumer;
  let ours: string;
  beforeAll(() => {
    consumer = installPacked();
    ours = `${realpathSync(consumer.folder)}/node_modules/${manifest.name}/dist/`;
  }, 120_000);
  afterAll(() => consumer?.remove());

  it.each(subpaths)("fails with a message that names $peer: import $specifier", ({ specifier, peer }) => {
    const sentence = String(consumer.evaluate("module", imported(specifier)));
    expect(sentence).toContain(`Cannot find package '${peer}' imported from ${ours}`);
  });

  it.each(subpaths)("fails with a message that names $peer: require $specifier", ({ specifier, peer }) => {
    const sentence = String(consumer.evaluate("commonjs", required(specifier)));
    expect(sentence).toContain(`Cannot find module '${peer}'\nRequire stack:\n- ${ours}`);
  });
});

describe("a subpath whose peer is installed", () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = installPacked(...new Set(Object.values(peerOf)));
  }, 120_000);
  afterAll(() => consumer?.remove());

  it.each(subpaths)("can be imported and required: $specifier", ({ specifier }) => {
    expect(consumer.evaluate("module", imported(specifier))).toBeGreaterThan(0);
    expect(consumer.evaluate("commonjs", required(specifier))).toBeGreaterThan(0);
  });

  it("reads and writes YAML in both module formats", () => {
    const script = `
      const { limits, name, schema } = { limits: { maxDepth: 32 }, name: "orders", schema: undefined };
      const value = yamlFormat.parse(new TextEncoder().encode("itemId: book"), { limits, name, schema });
      console.log(JSON.stringify(yamlFormat.serialize(value, { kind: "resource", name })));`;
    const specifier = `"${manifest.name}/yaml"`;
    const esm = `import { yamlFormat } from ${specifier};${script}`;
    const cjs = `const { yamlFormat } = require(${specifier});${script}`;
    expect(consumer.evaluate("module", esm)).toBe("itemId: book\n");
    expect(consumer.evaluate("commonjs", cjs)).toBe("itemId: book\n");
  });
});
