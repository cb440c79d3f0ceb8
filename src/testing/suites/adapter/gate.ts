/** Holds a creation up until it is opened. */
export interface Gate {
  /** Resolves once the gate is open. */
  pass(): Promise<void>;
  open(): void;
  /** Resolves when somebody waits at the gate. */
  readonly reached: Promise<void>;
}

/** Makes a gate, which is shut. */
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
