/** Lets what else waits for the event loop run, sockets included. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}
