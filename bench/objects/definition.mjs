import * as z from "zod";
import { defineOperation } from "../../dist/index.js";

/** Work that says when it began. */
const measured = defineOperation({
  name: "measured",
  path: "/measured",
  input: z.strictObject({ item: z.string() }),
  result: z.strictObject({ startedAt: z.number() }),
});

export const definitions = [measured];
export const processors = { measured: () => ({ startedAt: Date.now() }) };
/** Trusts the field that names the tenant. */
export const authorize = ({ header }) => ({ id: header("x-tenant") });
