import type { Clock } from "../../ports/runtime.js";
import { type CallBroker, unavailable } from "../shared/calls.js";
import type { Source } from "../shared/listen.js";
import type { JetStreamMessages } from "./jetstream.js";
import { BROKER, type Stream } from "./stream.js";

/** Dependencies that the sources share with their queue. */
export interface SourceContext {
  readonly clock: Clock;
  readonly stream: Stream;
  readonly call: CallBroker;
}

/** Time after which an unanswered request is renewed. Milliseconds. */
const EXPIRES_MS = 10_000;
/** Interval at which the server says that a request is still open. Without it for twice as long, the request fails. */
const HEARTBEAT_MS = 2_000;
/**
 * Time after which a request is closed even if its end is unknown. After a lost connection, the client waits for a
 * cluster without a leader, and does not end the request. Milliseconds.
 */
const GIVE_UP_MS = EXPIRES_MS + 2 * HEARTBEAT_MS;

const decoder = new TextDecoder();

/** Creates the source of a definition. */
export function createNatsSource({ clock, stream, call }: SourceContext, definition: string): Source {
  let open: JetStreamMessages | undefined;

  const closeOpen = async (): Promise<void> => void (await open?.close());
  // A request that the server does not hear of expires.
  const rest = (): void => void closeOpen().catch(() => {});

  return {
    take: async () => {
      let cancel: () => void = () => {};
      try {
        const consumer = await stream.consumerOf(definition);
        open = await call(() =>
          consumer.fetch({ max_messages: 1, expires: EXPIRES_MS, idle_heartbeat: HEARTBEAT_MS }),
        );
        cancel = clock.schedule(GIVE_UP_MS, rest);
        for await (const message of open) {
          message.ack();
          return decoder.decode(message.data);
        }
        return undefined;
      } catch (error) {
        stream.forget();
        throw unavailable(BROKER, error);
      } finally {
        cancel();
        open = undefined;
      }
    },
    rest,
    close: () => call(closeOpen).catch(() => {}),
  };
}
