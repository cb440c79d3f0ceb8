/**
 * Reports on Cloudflare Workers. Each tenant has a Durable Object with its operations. In a folder with these files:
 *
 *     npm install async-request-reply zod wrangler
 *     npx wrangler dev --port 3000
 *     curl -i localhost:3000/reports -H 'Authorization: Bearer demo-token' \
 *       -H 'Content-Type: application/json' -d '{"year":2026}'
 *
 * It needs no account. Operations are in `.wrangler`, and survive the end of the process.
 */
import { bearer } from "async-request-reply";
import { routeToTenant } from "async-request-reply/durable-objects";
import { definitions, type Env } from "./operations.js";

export { Directory } from "./directory.js";
export { Operations } from "./operations.js";

export default {
  fetch: routeToTenant({
    definitions,
    authorize: bearer({ "demo-token": "ann", "other-token": "ben" }),
    objects: ({ OPERATIONS }: Env) => OPERATIONS,
  }),
};
