/** An event as `EventSource` dispatches it. */
interface ReceivedEvent {
  readonly type: string;
  readonly lastEventId: string;
  readonly data: string;
}

/** Everything that `EventSource` remembers of a stream. */
export interface ReceivedStream {
  readonly events: readonly ReceivedEvent[];
  /** Number of comments, which `EventSource` skips. */
  readonly comments: number;
  /** Reconnection time. Milliseconds. */
  readonly retryMs: number | undefined;
}

/** Creates a parser for a stream of events, as in section 9.2.6 of the HTML standard. Events end with an empty line. */
export function createEventParser(): { readonly received: ReceivedStream; push(text: string): void } {
  const received = { events: [] as ReceivedEvent[], comments: 0, retryMs: undefined as number | undefined };
  let rest = "";
  let lastEventId = "";
  let event = { type: "message", data: [] as string[] };

  function read(line: string): void {
    if (line === "") {
      const { type, data } = event;
      if (data.length > 0) received.events.push({ type, lastEventId, data: data.join("\n") });
      event = { type: "message", data: [] };
      return;
    }
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "") received.comments += 1;
    else if (name === "id") lastEventId = value;
    else if (name === "data") event.data.push(value);
    else if (name === "event") event.type = value;
    else if (name === "retry" && /^\d+$/.test(value)) received.retryMs = Number(value);
  }

  return {
    received,
    push: (text) => {
      const lines = (rest + text).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? "";
      for (const line of lines) read(line);
    },
  };
}
