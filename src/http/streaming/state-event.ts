import type { Operation } from "../../contract/operation.js";
import { jsonFormat } from "../../formats/json.js";
import type { ServiceContext } from "../context.js";
import { presentOnce } from "../waiting/present-once.js";

/** An event that shows the state of an operation. */
export interface StateEvent {
  /** The `ETag` of the state in JSON, with its quotes. */
  readonly id: string;
  /** The event as text, with the empty line at its end. */
  readonly text: string;
  /** The bytes of `text`. All streams share them. */
  readonly bytes: Uint8Array;
}

const events = new WeakMap<Operation, Promise<StateEvent>>();
const encoder = new TextEncoder();

/**
 * Creates the event for an operation, once for all of its streams.
 *
 * @param operation An object that only streams and waiting requests hold, because the event is kept as long as the object.
 */
export function eventOnce(service: ServiceContext, operation: Operation): Promise<StateEvent> {
  const event = events.get(operation) ?? createEvent(service, operation);
  events.set(operation, event);
  return event;
}

async function createEvent(service: ServiceContext, operation: Operation): Promise<StateEvent> {
  const { headers, body } = await presentOnce(service, operation, jsonFormat);
  const id = headers.etag ?? "";
  // JSON escapes line breaks, so the body is a single line.
  const text = `id: ${id}\ndata: ${body as string}\n\n`;
  return { id, text, bytes: encoder.encode(text) };
}
