/** Lets everything run that waits for neither a timer nor a socket: however many promises follow one another. */
export function turn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}
