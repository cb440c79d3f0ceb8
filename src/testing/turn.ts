/** Waits until all promise chains have finished that depend on neither a timer nor a socket. */
export function turn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}
