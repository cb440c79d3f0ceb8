import * as api from "@opentelemetry/api";
import { allowAnonymous, createMemoryBackend, createOrderService, defineOrders } from "async-request-reply";
import { type OpenTelemetryApi, startTelemetry, type Telemetry } from "async-request-reply/opentelemetry";
import { createOperator } from "async-request-reply/operator";

const backend = createMemoryBackend();
const service = createOrderService({ backend, authorize: allowAnonymous() });
const operator = createOperator({ backend, definitions: [defineOrders()] });

/** The module of OpenTelemetry fits unchanged. */
export const known: OpenTelemetryApi = api;
export const telemetry: Telemetry = startTelemetry({ api, relation: "parent", operator, service });

// @ts-expect-error: the module is required
startTelemetry({ operator, service });
// @ts-expect-error: not a relation
startTelemetry({ api, relation: "child" });
// @ts-expect-error: one part of the module is not enough
startTelemetry({ api: api.trace });
