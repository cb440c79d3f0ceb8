import type { ProblemName } from "async-request-reply";
import { expect, it } from "vitest";
import { describeCorpus } from "../support/corpora.js";
import { useOrderServer } from "./order-server.js";

const server = useOrderServer();

/** Returns the expected refusal of an order with this itemId, or `undefined` if it is accepted. */
function refusalOf(itemId: string): readonly [status: number, problem: ProblemName] | undefined {
  if (!itemId.isWellFormed()) return [400, "malformed-body"];
  const { length } = [...itemId]; // code points, as JSON Schema counts
  return length === 0 || length > 255 || itemId.includes("\u0000") ? [422, "contract-violation"] : undefined;
}

describeCorpus("naughty-strings", (cases) => {
  it.each(cases.map(({ value = "" }) => value))(
    "accepts %j as an itemId unchanged, or refuses it",
    async (itemId) => {
      const reply = await server.post(JSON.stringify({ itemId, quantity: 1 }));
      const refusal = refusalOf(itemId);
      if (refusal !== undefined) return server.expectRefused(reply, ...refusal);
      expect(reply.status).toBe(202);
      expect(await server.processedFor(reply)).toEqual({ itemId, quantity: 1 });
      // Short strings can occur in a header field by chance.
      if (itemId.length > 4)
        expect(JSON.stringify(reply.headers)).not.toContain(JSON.stringify(itemId).slice(1, -1));
    },
  );
});
