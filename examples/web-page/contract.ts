import { defineOperation } from "async-request-reply";
import * as z from "zod";

export const exportsOf = defineOperation({
  name: "exports",
  path: "/accounts/{accountId}/exports",
  input: z.strictObject({ accountId: z.string().max(100), format: z.enum(["csv", "parquet"]) }),
  result: z.object({ url: z.string() }),
  progress: z.object({ percent: z.int() }),
});
