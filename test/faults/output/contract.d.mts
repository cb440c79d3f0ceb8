import type { OperationDefinition } from "async-request-reply";

export const names: readonly string[];
export function toDefinitions(): readonly OperationDefinition[];
export function toChunk(attempt: number, number: number): object;
