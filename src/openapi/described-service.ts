import type { ServiceContext } from "../http/context.js";

/** What the document of a service depends on. */
export type DescribedService = Pick<
  ServiceContext,
  "definitions" | "create" | "settings" | "formats" | "webhooks"
>;
