import type { Service } from "../http/context.js";

/** The members of a service that its document depends on. */
export type DescribedService = Pick<Service, "definitions" | "create" | "settings" | "formats" | "webhooks">;
