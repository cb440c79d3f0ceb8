/** New operations that consumers of this process have been woken up for, so that other processes might do without. */
export interface NewWork {
  /** Adds an operation after the consumers have been woken up. */
  add(operationId: string, definition: string): void;
  /** Removes an operation, and returns its number. Undefined if it is not here. */
  take(operationId: string): number | undefined;
  /** Whether an operation with this number may still be due: no look that began later has emptied its definition. */
  isLeft(definition: string, number: number): boolean;
  /** Begins a look, and returns a function to call with the definitions of which the look has left nothing. */
  beginLook(): (emptied: readonly string[]) => void;
}

/** An operation is here until it is announced. With another queue or a failed announcement, that is never. */
const MAX_OPERATIONS = 1_000;

/** Creates an empty {@link NewWork}. */
export function createNewWork(): NewWork {
  const numbers = new Map<string, number>();
  /** The last operation before the last look that has emptied a definition. */
  const emptiedAfter = new Map<string, number>();
  let count = 0;
  return {
    add: (operationId, definition) => {
      // Those that are dropped are announced to all processes.
      if (numbers.size >= MAX_OPERATIONS) numbers.clear();
      count += 1;
      numbers.set(operationId, count);
      if (!emptiedAfter.has(definition)) emptiedAfter.set(definition, 0);
    },
    take: (operationId) => {
      const number = numbers.get(operationId);
      numbers.delete(operationId);
      return number;
    },
    isLeft: (definition, number) => (emptiedAfter.get(definition) ?? 0) < number,
    beginLook: () => {
      const last = count;
      return (emptied) => {
        for (const name of emptied) if (last > (emptiedAfter.get(name) ?? last)) emptiedAfter.set(name, last);
      };
    },
  };
}
