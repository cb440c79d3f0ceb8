import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { createClient } from "async-request-reply/client";
import { createOperator } from "async-request-reply/operator";
import * as z from "zod";

export const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ year: z.number() }),
  result: z.object({ pages: z.number() }),
});

export const backend = createMemoryBackend();
export const service = createService({ definitions: [reports], backend });
export const submit = () => service.submit(reports, { year: 2026 });
export const submitMany = () => service.submitMany(reports, [{ input: { year: 2026 } }]);
export const read = (id: string) => service.get(reports, id);
export const cancel = (id: string) => service.cancel(reports, id);
export const worker = createWorker(service, { reports: ({ year }) => ({ pages: year }) });
export const run = () => worker.runUntilIdle();
export const operator = createOperator({ backend, definitions: [reports] });
export const stats = () => operator.stats();
export const client = createClient({ baseUrl: "https://api.example.org", definitions: [reports] });
