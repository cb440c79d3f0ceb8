import { deepEqual, equal, isOutcome } from "../../expect.js";
import { concurrently } from "../port-case.js";
import { TENANTS } from "../tenants.js";
import { boundTo, claimed, type IdempotencyStoreCheck, newClaim } from "./fixtures.js";

/** References that a store would confuse if it joined the three parts into one string. */
const CONFUSABLE: readonly (readonly [string, string, string])[] = [
  ["a:b", "c", "d"],
  ["a", "b:c", "d"],
  ["a", "b", "c:d"],
  ["a:b:c", "", "d"],
  ["", "a:b:c", "d"],
  ["a/b", "c", "d"],
  ["a", "b/c", "d"],
  ["a\u0001b", "c", "d"],
  ["a", "b\u0001c", "d"],
  ["ab", "c", "d"],
  ["a", "bc", "d"],
  ["a", "b", "cd"],
  ["1:a", "b", "cd"],
  ["1:a1", ":b", "cd"],
  ['a","b', "c", "d"],
  ["a", 'b","c', "d"],
];

/** Names that differ, although a collation or a plain object may treat them as equal. */
const NAMES: readonly string[] = [
  "key",
  "Key",
  "key ",
  " key",
  "k%",
  "k_y",
  "0",
  "00",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "k'--",
  "{key}",
  "k".repeat(255),
  `${"k".repeat(254)}l`,
];

export const claimChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "claim.exists",
    name: "binds a key to the first operation and returns that operation and its fingerprint to later claims",
    check: async (store) => {
      const first = await claimed(store);
      deepEqual(await store.claim(newClaim()), boundTo(first), "a claim with the same fingerprint");
      const other = newClaim({ fingerprint: "1:other" });
      deepEqual(await store.claim(other), boundTo(first), "a claim with another fingerprint");
      deepEqual(await store.claim(other), boundTo(first), "the first claim repeated");
    },
  },
  {
    rule: "claim.race",
    name: "lets one of 50 concurrent claims win and returns its operation and fingerprint to the others",
    check: async (store) => {
      const claims = Array.from({ length: 50 }, (_, index) => newClaim({ fingerprint: `1:${index}` }));
      const results = await Promise.all(claims.map((claim) => store.claim(claim)));
      const winners = claims.filter((_, index) => results[index]?.outcome === "claimed");
      equal(winners.length, 1, "number of claims that won");
      const [winner] = winners;
      for (const result of results) {
        if (result.outcome === "exists")
          deepEqual(result, winner && boundTo(winner), "result of the other claims");
      }
    },
  },
  {
    rule: "claim.races",
    name: "keeps concurrent claims of different keys apart",
    check: async (store) => {
      const results = await concurrently(50, async (index) => {
        const claim = newClaim({ key: `key-${index % 10}` });
        return { claim, result: await store.claim(claim) };
      });
      const winners = new Map(
        results
          .filter(({ result }) => result.outcome === "claimed")
          .map(({ claim }) => [claim.key, claim.operationId]),
      );
      equal(winners.size, 10, "number of claimed keys");
      for (const { claim, result } of results) {
        const operationId = result.outcome === "exists" ? result.operationId : claim.operationId;
        equal(operationId, winners.get(claim.key), `the operation of ${claim.key}`);
      }
    },
  },
  {
    rule: "claim.repeated",
    name: "returns `claimed` again to the operation that holds the key, repeatedly and concurrently",
    check: async (store) => {
      const claim = newClaim();
      const results = await concurrently(50, () => store.claim(claim));
      for (const result of results) isOutcome(result, "claimed", "claiming for the same operation");
      deepEqual(await store.claim(newClaim()), boundTo(claim), "a claim by another operation");
      isOutcome(await store.claim(claim), "claimed", "repeating the claim of the first operation");
    },
  },
  {
    rule: "claim.tenant",
    name: "keeps the same key of another tenant or definition apart",
    check: async (store) => {
      const first = await claimed(store);
      const second = await claimed(store, { tenant: "tenant-2" });
      const third = await claimed(store, { definition: "reports" });
      for (const claim of [first, second, third]) {
        const { tenant, definition } = claim;
        deepEqual(await store.claim(newClaim({ tenant, definition })), boundTo(claim), "a later claim");
      }
    },
  },
  {
    rule: "claim.separators",
    name: "does not confuse tenant, definition and key when they contain separators",
    check: async (store) => {
      const claims = [];
      for (const [tenant, definition, key] of CONFUSABLE) {
        claims.push(await claimed(store, { tenant, definition, key }));
      }
      for (const claim of claims) {
        const { tenant, definition, key } = claim;
        deepEqual(await store.claim(newClaim({ tenant, definition, key })), boundTo(claim), "a later claim");
      }
    },
  },
  {
    rule: "claim.names",
    name: "compares tenants, definitions and keys exactly",
    check: async (store) => {
      for (const part of ["tenant", "definition", "key"] as const) {
        const others = { tenant: `names of ${part}` };
        const claims = [];
        for (const name of NAMES) claims.push(await claimed(store, { ...others, [part]: name }));
        for (const [index, claim] of claims.entries()) {
          const later = newClaim({ ...others, [part]: NAMES[index] ?? "" });
          deepEqual(await store.claim(later), boundTo(claim), `a later claim with this ${part}`);
        }
      }
    },
  },
  {
    rule: "claim.tenants",
    name: "distinguishes tenants exactly, up to 255 UTF-16 code units of any script",
    check: async (store) => {
      const claims = [];
      for (const tenant of TENANTS) claims.push(await claimed(store, { tenant, key: "k".repeat(255) }));
      for (const claim of claims) {
        const { tenant, key } = claim;
        deepEqual(
          await store.claim(newClaim({ tenant, key })),
          boundTo(claim),
          "a later claim of this tenant",
        );
        await store.release(claim);
        isOutcome(await store.claim(claim), "claimed", "claiming the released key again");
      }
    },
  },
  {
    rule: "claim.stays",
    name: "keeps a claim until it is released, because claims never expire",
    needs: ["skipsTime"],
    check: async (store, { pass }) => {
      const claim = await claimed(store);
      await pass(365 * 24 * 3_600_000);
      deepEqual(await store.claim(newClaim()), boundTo(claim), "a claim a year later");
    },
  },
];
