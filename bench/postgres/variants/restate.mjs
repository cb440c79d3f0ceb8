import { once } from "node:events";
import { Agent, request } from "node:http";
import { createServer } from "node:http2";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";

/**
 * Restate: an idempotent invocation over its ingress, which answers once the invocation is in its log. It calls the handler in this
 * process over HTTP/2 as soon as it can, so work cannot wait for a worker to start.
 */
export async function open({ restate: { ingress, admin } }) {
  let work = { onCompleted: () => {} };
  let completed = 0;
  const orders = service({
    name: "orders",
    handlers: {
      run: async (_context, { id }) => {
        await work.onStart?.(id);
        completed += 1;
        work.onCompleted(1);
      },
    },
  });
  const endpoint = createServer(createEndpointHandler({ services: [orders], logger: () => {} })).listen(
    0,
    "127.0.0.1",
  );
  await once(endpoint, "listening");
  await register(admin, `http://127.0.0.1:${endpoint.address().port}`);
  const agent = new Agent({ keepAlive: true });
  let accepted = 0;
  return {
    accept: async ({ id, key }) => {
      await post(agent, `${ingress}/orders/run/send`, { "idempotency-key": key }, { id });
      accepted += 1;
    },
    reset: async () => {
      accepted = 0;
      completed = 0;
    },
    accepted: async () => accepted,
    completed: async () => completed,
    startWork: async (given) => {
      work = given;
      return async () => {
        work = { onCompleted: () => {} };
      };
    },
    close: async () => {
      agent.destroy();
      endpoint.close();
    },
  };
}

async function register(admin, uri) {
  const response = await fetch(`${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(`Restate refused the deployment: ${await response.text()}`);
}

/** Posts with `node:http`, which takes less CPU time than `fetch`. */
function post(agent, url, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.resume();
      response.on("end", () => {
        if (response.statusCode === 202) resolve();
        else reject(new Error(`Restate answered ${response.statusCode}.`));
      });
    });
    sent.end(JSON.stringify(body));
  });
}
