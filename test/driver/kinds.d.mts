import type { OperationLimits } from "async-request-reply";

export declare const kinds: Readonly<
  Record<
    string,
    {
      readonly limits?: OperationLimits;
      readonly lanes?: number;
      readonly creates?: boolean;
      readonly startWithinMs?: number;
    }
  >
>;
