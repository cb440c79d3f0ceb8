import {
  type Backend,
  type Claim,
  type ClaimResult,
  createMemoryBackend,
  withQueue,
  withStores,
} from "async-request-reply";
import type { CreateBackend } from "async-request-reply/testing";
import { receivingBy } from "../consumers.js";
import { replacing } from "../replacing.js";

/** A mistake, as a back end that makes it, and what the simulator must say about it. */
interface PlantedSubmission {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Back ends that mistake payloads for one another, and queues that give a worker more than it can take. */
export const plantedSubmissions: Readonly<Record<string, PlantedSubmission>> = {
  "a key stands for every payload": claiming(/I14: .* is the answer to/, (result, { fingerprint }) => ({
    ...result,
    fingerprint,
  })),

  "a key is refused for its own payload": claiming(
    /I14: key .* is refused for its own payload/,
    (result) => ({
      ...result,
      fingerprint: `${result.fingerprint} of another`,
    }),
  ),

  "a worker is given more of one definition than it has slots for": {
    create: (clock) => {
      const backend: Backend<never> = createMemoryBackend({ clock });
      const consume = receivingBy(backend.queue, (request, consumer) => {
        const slots = new Map([...request.slots.keys()].map((name) => [name, request.limit]));
        return consumer.receive({ ...request, slots });
      });
      return withQueue(backend, replacing(backend.queue, consume));
    },
    violation: /I15: a worker has \d attempts on \w+ at once/,
  },
};

type Bound = Extract<ClaimResult, { readonly outcome: "exists" }>;

/** A store whose answers about a key that is bound are changed. */
function claiming(violation: RegExp, change: (result: Bound, claim: Claim) => Bound): PlantedSubmission {
  const create: CreateBackend = (clock) => {
    const backend = createMemoryBackend({ clock });
    const claim: Backend["idempotency"]["claim"] = async (request) => {
      const result = await backend.idempotency.claim(request);
      return result.outcome === "exists" ? change(result, request) : result;
    };
    return withStores(backend, { idempotency: replacing(backend.idempotency, { claim }) });
  };
  return { create, violation };
}
