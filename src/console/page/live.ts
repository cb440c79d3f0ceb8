/** How often the page is loaded without a stream, and beside one, which does not tell of everything. Milliseconds. */
const POLL_MS = 10_000;
const POLL_BESIDE_MS = 45_000;
/** Pause after a load. It is longer after a slow one, because many pages must not keep a slow server busy. Milliseconds. */
const PAUSE_MS = 1_000;
const PAUSE_FACTOR = 2;
/** Pages whose streams ended together do not come back together. Milliseconds. */
const MAX_AWAY_MS = 4_000;

/** State of the page. */
interface Options {
  /** Returns whether the server tells of changes. */
  isTold(): boolean;
  /** Returns whether the view shows any of these operations. */
  shows(operationIds: readonly string[]): boolean;
  /** Loads the view in the background. Never rejects. */
  refresh(): Promise<void>;
}

/** Loads the view again when something changes, as long as the page is visible: told by a stream of events, or else now and then. */
export function startLive({ isTold, shows, refresh }: Options): void {
  let stream: EventSource | undefined;
  let poll: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  let isBusy = false;

  async function look(): Promise<void> {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    while (isDue && isVisible()) {
      isDue = false;
      const began = performance.now();
      await refresh();
      const pauseMs = Math.max(PAUSE_MS, (performance.now() - began) * PAUSE_FACTOR);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    isBusy = false;
  }

  function pollAgain(): void {
    clearTimeout(poll);
    poll = setTimeout(
      () => {
        if (isVisible()) void look();
        open();
        pollAgain();
      },
      stream?.readyState === EventSource.OPEN ? POLL_BESIDE_MS : POLL_MS,
    );
  }

  function open(): void {
    if (stream !== undefined || !isVisible() || !isTold()) return;
    const opened = new EventSource("api/events");
    stream = opened;
    let wasOpen = false;
    opened.addEventListener("open", () => {
      wasOpen = true;
      pollAgain();
      // Earlier changes reached no one.
      void look();
    });
    opened.addEventListener("changed", ({ data }) => {
      const { ids } = JSON.parse(data) as { readonly ids?: readonly string[] };
      if (ids === undefined || shows(ids)) void look();
    });
    opened.addEventListener("error", () => {
      close();
      // A stream that was refused is tried again with the next poll.
      if (wasOpen) setTimeout(open, PAUSE_MS + Math.random() * MAX_AWAY_MS);
    });
  }

  function close(): void {
    stream?.close();
    stream = undefined;
    pollAgain();
  }

  document.addEventListener("visibilitychange", () => {
    if (!isVisible()) close();
    else if (isTold()) open();
    else void look();
  });
  open();
  pollAgain();
}

function isVisible(): boolean {
  return document.visibilityState === "visible";
}
