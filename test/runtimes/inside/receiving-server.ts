import { isAsyncReplyError } from "async-request-reply";
import { verifyWebhook } from "async-request-reply/webhooks";

/**
 * Receives webhooks, and answers with the code of a refusal. Bun, `deno serve` and workerd serve the default export.
 * The query has the secrets and the time.
 */
export default {
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request: Request): Promise<Response> => {
    const { headers } = request;
    const query = new URL(request.url).searchParams;
    const secrets = query.getAll("secret");
    const now = (): number => Number(query.get("now"));
    try {
      const body = new Uint8Array(await request.arrayBuffer());
      const { id } = await verifyWebhook({ headers, body, secrets, now });
      return new Response(`accepted ${id}`);
    } catch (error) {
      return new Response(isAsyncReplyError(error) ? error.code : String(error));
    }
  },
};
