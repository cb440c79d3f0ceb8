/** Details of errors that clients see. The same failure has the same detail on every back end. */
export const DETAILS = {
  full: "The store is full.",
  unreachable: "The store cannot be reached.",
  unstorable: "The database cannot store this data.",
} as const;
