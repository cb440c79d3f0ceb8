import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  allowAnonymous,
  createService,
  defineOperation,
  defineOrders,
  type HttpRequest,
  type HttpResponse,
} from "async-request-reply";
import { nextTurn } from "../../../src/platform/waits.js";
import { randomChoices } from "../../../src/testing/simulator/choices.js";
import { anything } from "../../support/careless-schema.js";
import { checkReadBack, checkReply } from "./checks.js";
import { chooseBody } from "./mutate.js";
import type { FuzzSubject } from "./subject.js";
import { pick } from "./values.js";

/** The bodies to try. Body `index` of a run is body 0 of the run whose seed is `seed + index`. */
type FuzzRange = Readonly<Record<"seed" | "from" | "to", number>>;

/**
 * Sends bodies to a service and checks every reply. Throws at the first wrong reply, with the bytes of the body. Yields its
 * progress after every block of bodies, with the heap size after a garbage collection. Each block has a new service, which is
 * closed after it, so that accepted operations and counts do not pile up.
 */
export async function* fuzz(subject: FuzzSubject, { seed, from, to }: FuzzRange) {
  const block = Math.max(200, Math.ceil((to - from) / 1000));
  for (let start = from; start < to; start += block) {
    const next = Math.min(to, start + block);
    const { send, close } = startService(subject);
    for (let index = start; index < next; index++) await tryBody(subject, seed, index, send);
    await close();
    await nextTurn(); // the turns that the replies raced against have not run yet, and hold memory
    collectGarbage();
    yield { next, heapBytes: process.memoryUsage().heapUsed };
  }
}

type Send = (body: Uint8Array, path: string) => Promise<HttpResponse>;

async function tryBody(subject: FuzzSubject, seed: number, index: number, send: Send): Promise<void> {
  const choices = randomChoices(seed + index);
  const body = chooseBody(subject, choices);
  try {
    checkReply(await send(body, pick(choices, ["/orders", "/anything"])));
    if (subject.readsBack) checkReadBack(body, subject);
  } catch (cause) {
    const again = `FUZZ_SEED=${seed + index} FUZZ_COUNT=1`;
    const base64 = Buffer.from(body).toString("base64");
    throw new Error(`Body ${index} of seed ${seed} (${again}), in base64: ${base64}`, { cause });
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function startService({ format }: FuzzSubject): { send: Send; close: () => Promise<void> } {
  // One root name and an empty schema, for formats that need them.
  const rooted = { rootName: "order", jsonSchema: {} };
  const careless = defineOperation({ name: "anything", path: "/anything", input: anything, ...rooted });
  const formats = format.mediaTypes[0] === "application/json" ? [] : [format];
  const errors: unknown[] = [];
  const service = createService({
    definitions: [defineOrders(), careless],
    authorize: allowAnonymous(),
    formats,
    observe: (event) => "error" in event && errors.push(event.error),
  });
  const send: Send = async (body, path) => {
    const headers = { "content-type": format.mediaTypes[0], accept: "application/json" };
    const request: HttpRequest = { method: "POST", path, headers, body };
    const reply = await settled(service.handle(request));
    if (reply.status >= 500) throw new Error(`The status is ${reply.status}.`, { cause: errors.at(-1) });
    return reply;
  };
  return { send, close: service.close };
}

/** A service in memory does no I/O, so a reply that is not there after this many turns never comes. */
async function settled(reply: Promise<HttpResponse>): Promise<HttpResponse> {
  for (let turns = 0; turns < 1000; turns++) {
    const first = await Promise.race([reply, nextTurn()]);
    if (first !== undefined) return first;
  }
  throw new Error("The service did not reply.");
}
