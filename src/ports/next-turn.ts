/** Resolves after everything else that waits for the event loop has had its turn, including sockets. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}
