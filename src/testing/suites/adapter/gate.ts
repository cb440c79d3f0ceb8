/** Holds up a creation until it is opened. */
export interface Gate {
  /** Resolves when the gate is open. */
  pass(): Promise<void>;
  open(): void;
  /** Resolves when the first caller waits at the gate. */
  readonly reached: Promise<void>;
}

/** Creates a closed gate. */
export function createGate(): Gate {
  let open: () => void = () => {};
  let reach: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    pass: () => {
      reach();
      return opened;
    },
    open,
    reached,
  };
}
