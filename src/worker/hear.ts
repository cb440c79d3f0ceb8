import type { Listening } from "../ports/queue.js";
import { reportError, type WorkerContext } from "./context.js";

/** Listens to the queue. A queue that breaks its contract costs the worker its rings and nothing else. */
export function hear(context: WorkerContext, onRing: () => void): Listening {
  const onError = (error: unknown): void => reportError(context, "listen", error);
  const attempted = <Result>(call: () => Result): Result | undefined => {
    try {
      return call();
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
  const listening = attempted(() => context.backend.queue.listen({ onRing, onError }));
  return {
    want: (definitions) => attempted(() => listening?.want(definitions)),
    close: async () => {
      await attempted(() => listening?.close())?.catch(onError);
    },
  };
}
