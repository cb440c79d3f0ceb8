import type { Service } from "../http/context.js";

/** What of a service a document is made from. */
export type DescribedService = Pick<Service, "definitions" | "create" | "settings" | "formats">;
