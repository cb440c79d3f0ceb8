import type { OperationHandle } from "async-request-reply/client";
import { useEffect, useState } from "react";
import type { answers } from "../contract.js";

/** Follows the output of an operation. Returns the text that stands, and whether more can come. */
export function useOutput(op: OperationHandle<typeof answers> | undefined): {
  readonly text: string;
  readonly isOpen: boolean;
} {
  const [shown, show] = useState({ text: "", isOpen: op !== undefined });
  useEffect(() => {
    if (op === undefined) return;
    const leaving = new AbortController();
    const chunks: string[] = [];
    const follow = async (): Promise<void> => {
      show({ text: "", isOpen: true });
      for await (const part of op.output({ signal: leaving.signal })) {
        chunks.length = part.at; // forgets what was discarded
        chunks.push(...part.chunks);
        show({ text: chunks.join(""), isOpen: true });
      }
      show({ text: chunks.join(""), isOpen: false });
    };
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) show({ text: String(error), isOpen: false });
    });
    return () => leaving.abort();
  }, [op]);
  return shown;
}
