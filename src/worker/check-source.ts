import { checkDefinitions } from "../contract/definition/check-definition.js";
import { checkOptions, isObject, misuse, type OptionNames, shown } from "../contract/options.js";
import { checkBackend } from "../ports/backend.js";
import type { WorkerSource } from "./worker.js";

const OPTIONS: OptionNames<WorkerSource<[]>> = {
  definitions: true,
  backend: true,
  runtime: true,
  observe: true,
  announcer: true,
  estimate: true,
  create: true,
  webhooks: true,
  problemBaseUri: true,
  settings: true,
  lifecycle: true,
};

/**
 * Checks the first argument of `createWorker`. A service may have members that a worker does not use.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkSource(source: unknown): void {
  if (!isObject(source))
    throw misuse(
      `createWorker() takes a service, or \`{ backend, definitions }\`, as its first argument, not ${shown(source)}.`,
    );
  const { backend, definitions, handle } = source as { readonly [member: string]: unknown };
  if (typeof handle !== "function") checkOptions(source, OPTIONS, "createWorker");
  checkBackend(backend);
  checkDefinitions(definitions);
}
