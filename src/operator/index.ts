/**
 * Lists, counts, groups, cancels and redrives operations of all tenants. Runs on every platform.
 *
 * @module async-request-reply/operator
 */

export type { ActionOptions } from "./act.js";
export type { ActionFacts, ActionFilter, OperatorAction } from "./actions.js";
export type { OperatorCancelResult } from "./cancel.js";
export type { OperationAttempt, OperationDetails } from "./details.js";
export type { WaitingReason } from "./explain.js";
export type { FailureFilter, FailureGroup, Failures } from "./failures.js";
export type { ListFilter, OperationPage } from "./list.js";
export {
  createOperator,
  type DefinitionSettings,
  type Operator,
  type OperatorOptions,
} from "./operator.js";
export type { OperationOutput, OperationOutputOptions } from "./output.js";
export type { DefinitionCounts } from "./pause.js";
export type { RedriveFilter, RedriveOptions, RedrivePreview, RedriveRun } from "./redrive-many.js";
export type { OperatorRedriveOptions, OperatorRedriveResult } from "./redrive-one.js";
export type { Quantiles, SeriesOptions, SeriesStep } from "./series.js";
export type { OperationSummary, OperatorStatus } from "./summary.js";
