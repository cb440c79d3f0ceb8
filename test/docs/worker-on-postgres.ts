import type { Backend } from "async-request-reply";
import type { Block } from "../support/pages.js";
import { exampleIn } from "./sections.js";

/** The module of the Worker on Postgres, whose environment has the back end. */
export interface WorkerModule {
  readonly default: {
    fetch(request: Request, env: { readonly backend: Backend }, context: WorkerContext): Promise<Response>;
    scheduled(event: unknown, env: { readonly backend: Backend }, context: WorkerContext): void;
  };
}

interface WorkerContext {
  waitUntil(work: Promise<unknown>): void;
}

const OPEN = /^function openBackend[\s\S]*?^\}$/m;

/** Returns the Worker on Postgres as the page shows it, but with the back end of its environment. Throws if it opens none. */
export function workerOnPostgres(): Block {
  const block = exampleIn("docs/cloudflare.md", "Workers on Postgres");
  if (!OPEN.test(block.text)) throw new Error(`${block.place} has no function openBackend`);
  return { ...block, text: block.text.replace(OPEN, "const openBackend = (env: any) => env.backend;") };
}
