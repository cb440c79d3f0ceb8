/**
 * Lists, counts, cancels and redrives operations of all tenants. Runs on every platform.
 *
 * @module async-request-reply/operator
 */

export type { AttemptError } from "../contract/attempt-errors.js";
export type { ListFilter, OperationPage } from "./list.js";
export { createOperator, type Operator, type OperatorMethod, type OperatorOptions } from "./operator.js";
export type {
  RedriveFilter,
  RedriveOptions,
  RedrivePreview,
  RedriveRun,
} from "./redrive/redrive-options.js";
export type { OperationDetails, OperationSummary } from "./views.js";
