import { afterAll, beforeAll, expect, it } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { describeCorpus } from "../support/corpora.js";
import { sampleOf } from "../support/effort.js";
import { canBeFetched } from "./beyond-fetch.js";
import { adaptersOnSockets, allAdapters } from "./identity-adapters.js";
import { createLineup, type Lineup } from "./identity-lineup.js";

// test/http/corpora-*.test.ts checks the reply to each case. These tests check that all adapters give the same reply.
// The adapters do not look into bodies and fields, so `npm test` plays a part of the cases.
const STEP = 10;

let all: Lineup;
let onSockets: Lineup;
beforeAll(async () => {
  // The limit lets the service read even the largest bodies, so that their contents decide the reply.
  all = await createLineup(allAdapters, { maxBodyBytes: 1_000_000 });
  onSockets = await createLineup(adaptersOnSockets, { maxBodyBytes: 1_000_000 });
});
afterAll(() => Promise.all([all.close(), onSockets.close()]));

async function compare(request: WireRequest): Promise<void> {
  const lineup = canBeFetched(request) ? all : onSockets;
  const reply = await lineup.exchange(request);
  expect(reply?.status).toBeLessThan(500);
}

for (const corpus of ["json-parsing", "json-transform"]) {
  describeCorpus(corpus, (cases) => {
    it.each(sampleOf(cases, STEP))(
      "gets the same reply from all adapters: $name as a body",
      async ({ base64 = "" }) => {
        await compare(submission({ body: Buffer.from(base64, "base64") }));
      },
    );
  });
}

/** Fields are sent as UTF-8 bytes. The server's parser refuses control characters. */
const linesOf = (values: readonly string[]): readonly string[] =>
  values.map((value) => Buffer.from(value).toString("latin1"));
const isField = (line: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(line);

function keyed(lines: readonly string[]): WireRequest {
  return submission({ fields: { "idempotency-key": lines } });
}

describeCorpus("structured-fields", (cases) => {
  const sendable = cases.filter(({ raw = [] }) => linesOf(raw).every(isField));
  it.each(sampleOf(sendable, STEP))(
    "gets the same reply from all adapters: $name as a key",
    async ({ raw = [] }) => {
      await compare(keyed(linesOf(raw)));
    },
  );
});

describeCorpus("naughty-strings", (cases) => {
  const values = sampleOf(cases, STEP).map(({ value = "" }) => value);
  it.each(values)("gets the same reply from all adapters: %j as an itemId", async (itemId) => {
    await compare(submission({ body: JSON.stringify({ itemId, quantity: 1 }) }));
  });

  const sendable = values.filter((value) => linesOf([value]).every(isField));
  it.each(sendable)(
    "gets the same reply from all adapters: %j as a key, quoted and unquoted",
    async (value) => {
      await compare(keyed(linesOf([value])));
      await compare(keyed(linesOf([`"${value.replace(/["\\]/g, "\\$&")}"`])));
    },
  );

  it("leaves the same records in all stores", async () => {
    for (const lineup of [all, onSockets]) await lineup.work();
    await onSockets.recorded();
    expect((await all.recorded()).length).toBeGreaterThan(values.length);
  });
});
