import type { HttpResponse } from "../../http/message/message.js";
import type { Mountable } from "../../service/service.js";
import type { LambdaEvent } from "./event.js";
import { toHttpRequest } from "./read-request.js";

/** A reply, and work that must end before Lambda freezes the process. */
interface Answer {
  readonly reply: HttpResponse;
  /** Resolves when the service has rung for workers. Never rejects, and ends at its time limit. */
  readonly rung: Promise<unknown>;
}

/**
 * Lets the service answer an event.
 *
 * Throws `INVALID_OPTION` if the event is not an HTTP request.
 */
export async function answer(service: Mountable, event: LambdaEvent): Promise<Answer> {
  const pending: Promise<unknown>[] = [];
  const reply = await service.handle(toHttpRequest(event), { waitUntil: (work) => pending.push(work) });
  return { reply, rung: Promise.all(pending) };
}
