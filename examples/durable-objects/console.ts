/**
 * The console over the objects of all tenants, a Worker for itself. Beside that of `worker.ts`:
 *
 *     npx wrangler dev -c wrangler.jsonc -c console.wrangler.jsonc --port 3000
 *
 * It is on http://localhost:3000/console, with any user and the password `demo-password`.
 */
import { basic, createConsole } from "async-request-reply/console";
import { createObjectsOperator } from "async-request-reply/durable-objects";
import { toFetchHandler } from "async-request-reply/fetch";
import { definitions, type Env } from "./operations.js";

const authorize = basic({ "demo-password": "operate" });

export default {
  fetch: (request: Request, { OPERATIONS: objects, DIRECTORY: directory }: Env): Promise<Response> => {
    const operator = createObjectsOperator({ definitions, objects, directory });
    return toFetchHandler(createConsole({ operator, authorize }))(request);
  },
};
