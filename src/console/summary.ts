import type { OperationDetails } from "../operator/details.js";
import type { OperationSummary } from "../operator/summary.js";

/** Returns an operation without what a list does not show, such as payloads. */
export function summaryOf({
  input: _input,
  result: _result,
  progress: _progress,
  resource: _resource,
  meta: _meta,
  attempts: _attempts,
  dueAt: _dueAt,
  followUpId: _followUpId,
  hasOutput: _hasOutput,
  lastCheckpointAt: _lastCheckpointAt,
  ...summary
}: OperationDetails): OperationSummary {
  return summary;
}
