import { tracingChannel } from "node:diagnostics_channel";
import type { DeliverMessage, ProcessMessage, SettleMessage, SubmitMessage } from "async-request-reply/ports";
import { onTestFinished } from "vitest";

interface Messages {
  readonly submit: SubmitMessage;
  readonly process: ProcessMessage;
  readonly settle: SettleMessage;
  readonly deliver: DeliverMessage;
}

type Event = "start" | "end" | "asyncStart" | "asyncEnd" | "error";

/** A message as it was when it was published. */
export type Published<Name extends keyof Messages> = Messages[Name] & { readonly event: Event };

/** Records the messages of a channel until the test ends. `onStart` may change a message. */
export function watchChannel<Name extends keyof Messages>(
  name: Name,
  onStart: (message: Messages[Name]) => void = () => {},
): readonly Published<Name>[] {
  const published: Published<Name>[] = [];
  const note = (event: Event) => (message: object) =>
    void published.push({ ...(message as Messages[Name]), event });
  const handlers = {
    start: (message: object) => {
      onStart(message as Messages[Name]);
      note("start")(message);
    },
    end: note("end"),
    asyncStart: note("asyncStart"),
    asyncEnd: note("asyncEnd"),
    error: note("error"),
  };
  const channel = tracingChannel(`async-request-reply:${name}`);
  channel.subscribe(handlers);
  onTestFinished(() => channel.unsubscribe(handlers));
  return published;
}
