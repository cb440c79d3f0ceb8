import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  withStores,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { testMistakes } from "../support/untyped.js";

const input = z.object({ customer: z.string() });
const path = "/jobs";
const named = { name: "jobs", path, input } as const;

/** Returns a back end whose store says nothing about limits and lanes. */
function unaware(): Backend {
  const backend = createMemoryBackend();
  const operations = new Proxy(backend.operations, {
    get: (store, member) => {
      if (member === "keepsPlaces") return undefined;
      const value: unknown = Reflect.get(store, member);
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
  return withStores(backend, { operations });
}

const sentence = (option: string): string =>
  `The definition "jobs" has \`${option}\`, but the store of this back end does not keep limits and lanes. Leave it out, or ` +
  "use a store that has `keepsPlaces`, such as that of `createPostgresBackend({ pool })`.";

describe("a store that does not keep limits and lanes", () => {
  const authorize = allowAnonymous();
  const limited = [defineOperation({ ...named, limits: { running: 1 } })] as const;
  const ofTenants = [defineOperation({ ...named, limits: { runningPerTenant: 1 } })] as const;
  const serial = [defineOperation({ ...named, serialBy: ({ customer }) => customer })] as const;

  testMistakes([
    [
      "a service with `limits.running`",
      sentence("limits.running"),
      () => createService({ definitions: limited, authorize, backend: unaware() }),
    ],
    [
      "a service with `serialBy`",
      sentence("serialBy"),
      () => createService({ definitions: serial, authorize, backend: unaware() }),
    ],
    [
      "a worker with `limits.runningPerTenant`",
      sentence("limits.runningPerTenant"),
      () => createWorker({ definitions: ofTenants, backend: unaware() }, { jobs: () => undefined }),
    ],
  ]);

  it("can be used with definitions without them", () => {
    const definitions = [defineOperation(named)] as const;
    const make = () => createService({ definitions, authorize, backend: unaware(), observe: false });
    expect(make).not.toThrow();
  });
});
