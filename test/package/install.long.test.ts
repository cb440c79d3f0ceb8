import { realpathSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, installPacked, manifest, run } from "../support/built.js";
import { peerOf } from "./peers.js";

const specifierOf = (subpath: string): string => subpath.replace(".", manifest.name);
const specifiers = Object.keys(manifest.exports)
  .filter((subpath) => !(subpath in peerOf))
  .map(specifierOf);
const withPeers = Object.entries(peerOf).map(([subpath, peer]) => ({
  specifier: specifierOf(subpath),
  peer,
}));

/** Prints how many names a module has, or the message with which it fails. */
const outcome = (load: string): string =>
  `${load}.then((m) => Object.keys(m).length, (error) => error.message).then((x) => console.log(JSON.stringify(x)))`;
const imported = (specifier: string): string => outcome(`import("${specifier}")`);
const required = (specifier: string): string =>
  outcome(`new Promise((resolve) => resolve(require("${specifier}")))`);

/** Installs the packed package with these peers, for a group of tests. */
function useConsumer(...peers: readonly string[]): () => Consumer {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = installPacked(...peers);
  }, 120_000);
  afterAll(() => consumer?.remove());
  return () => consumer;
}

describe("the packed package in another project", () => {
  const consumer = useConsumer();

  it("installs only zod and uuid with it", () => {
    expect(consumer().packages).toEqual([manifest.name, "uuid", "zod"]);
  });

  it.each(specifiers)("imports %s", (specifier) => {
    expect(consumer().evaluate("module", imported(specifier))).toBeGreaterThan(0);
  });

  it.each(specifiers)("requires %s", (specifier) => {
    expect(consumer().evaluate("commonjs", required(specifier))).toBeGreaterThan(0);
  });

  it("requires every subpath except ./testing if Node cannot require an ES module", () => {
    const others = specifiers.filter((specifier) => !specifier.endsWith("/testing"));
    const script = `${JSON.stringify(others)}.forEach((specifier) => require(specifier));`;
    const args = ["--no-experimental-require-module", "--eval", script];
    expect(() => run(process.execPath, args, consumer().folder)).not.toThrow();
  });

  it("says that ./testing is an ES module, if Node cannot require one", () => {
    const args = ["--no-experimental-require-module", "--eval", `require("${manifest.name}/testing")`];
    expect(() => run(process.execPath, args, consumer().folder)).toThrow("ERR_REQUIRE_ESM");
  });

  it("loads one copy of the code for all subpaths in CommonJS", () => {
    const script = `
      const { AsyncReplyError } = require("${manifest.name}");
      console.log(JSON.stringify(AsyncReplyError === require("${manifest.name}/client").AsyncReplyError));`;
    expect(consumer().evaluate("commonjs", script)).toBe(true);
  });

  it("recognizes an error of the other module format", () => {
    const script = `
      import { createRequire } from "node:module";
      import * as own from "${manifest.name}";
      const other = createRequire(process.cwd() + "/")("${manifest.name}");
      console.log(JSON.stringify({
        copies: own.AsyncReplyError !== other.AsyncReplyError,
        own: own.isAsyncReplyError(new other.AsyncReplyError("INTERNAL", "other")),
        other: other.isAsyncReplyError(new own.AsyncReplyError("INTERNAL", "own")),
        others: own.isAsyncReplyError(new Error()),
      }));`;
    const expected = { copies: true, own: true, other: true, others: false };
    expect(consumer().evaluate("module", script)).toEqual(expected);
  });

  describe("a subpath whose peer is not installed", () => {
    const ours = () => `${realpathSync(consumer().folder)}/node_modules/${manifest.name}/dist/`;

    it.each(withPeers)("fails with a message that names $peer: import $specifier", ({ specifier, peer }) => {
      const sentence = String(consumer().evaluate("module", imported(specifier)));
      expect(sentence).toContain(`Cannot find package '${peer}' imported from ${ours()}`);
    });

    it.each(withPeers)("fails with a message that names $peer: require $specifier", ({ specifier, peer }) => {
      const sentence = String(consumer().evaluate("commonjs", required(specifier)));
      expect(sentence).toContain(`Cannot find module '${peer}'\nRequire stack:\n- ${ours()}`);
    });
  });
});

describe("a subpath whose peer is installed", () => {
  const consumer = useConsumer(...new Set(Object.values(peerOf)));

  it.each(withPeers)("can be imported and required: $specifier", ({ specifier }) => {
    expect(consumer().evaluate("module", imported(specifier))).toBeGreaterThan(0);
    expect(consumer().evaluate("commonjs", required(specifier))).toBeGreaterThan(0);
  });

  it("reads and writes YAML in both module formats", () => {
    const script = `
      const { limits, name, schema } = { limits: { maxDepth: 32 }, name: "orders", schema: undefined };
      const value = yamlFormat.parse(new TextEncoder().encode("itemId: book"), { limits, name, schema });
      console.log(JSON.stringify(yamlFormat.serialize(value, { kind: "resource", name })));`;
    const specifier = `"${manifest.name}/yaml"`;
    const esm = `import { yamlFormat } from ${specifier};${script}`;
    const cjs = `const { yamlFormat } = require(${specifier});${script}`;
    expect(consumer().evaluate("module", esm)).toBe("itemId: book\n");
    expect(consumer().evaluate("commonjs", cjs)).toBe("itemId: book\n");
  });
});
