import type { Action, ActionsRequest, RecordedAction } from "../../ports/actions-store.js";
import type { DefinitionStats } from "../../ports/operation-reads.js";
import type { ObjectName } from "../object-name.js";
import type { ObjectNumber } from "../object-number.js";

/** The counts of one definition in one object. */
export interface ReportedCounts {
  readonly definition: string;
  readonly due: number;
  readonly running: number;
  readonly scheduled: number;
  readonly failed: number;
  /** When the operation became due that is due for the longest time. Epoch milliseconds. Absent if none is due. */
  readonly dueSince?: number;
}

/** The state of an object, as it tells the directory on waking and at most once a minute. */
export interface ObjectReport extends ObjectName {
  /** Number of the object. Absent before its first report. */
  readonly number?: ObjectNumber;
  /** `createdAt` of its newest operation. Absent if it has none. */
  readonly newestAt?: number;
  /** `createdAt` of its newest failed operation. Absent if it has none. */
  readonly newestFailedAt?: number;
  readonly counts: readonly ReportedCounts[];
}

/** A pause of a definition in all objects. */
export interface SharedPause {
  readonly definition: string;
  readonly by?: string;
}

/** Answer to a report. */
type ReportAnswer =
  /** `reports` counts the reports of this object. */
  | { readonly number: ObjectNumber; readonly reports: number; readonly pauses: readonly SharedPause[] }
  /** The tenant has operations in another number of objects. */
  | { readonly fixedShards: number };

/** Request for objects, those with the newest operations first. */
interface NewestRequest {
  /** Whether only failed operations count. */
  readonly failed: boolean;
  /** Only objects after this one. */
  readonly after?: NewestObject;
  readonly limit: number;
}

/** An object and when its newest operation was created. */
export interface NewestObject {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly newestAt: number;
}

/** Order of tenants, the most first. */
export type TenantOrder = "due" | "running" | "failed" | "age";

/** Counts of a tenant as its objects reported them, of all definitions together. */
export interface ReportedTenant extends Omit<ReportedCounts, "definition"> {
  readonly tenant: string;
  /** When the first of its objects reported that has been silent for longer than the others. Epoch milliseconds. */
  readonly reportedAt: number;
}

/** Calls to the directory. */
export interface DirectoryCalls {
  /** Records what an object has. Gives it a number at its first report. */
  readonly report: (report: ObjectReport) => Promise<ReportAnswer>;
  /** Forgets an object that is empty, unless it has reported again. Returns whether it is forgotten. */
  readonly leave: (request: { readonly name: string; readonly reports: number }) => Promise<boolean>;
  /** Returns the names of the objects with a number: one, unless the directory was lost and two tenants got the same number. */
  readonly numbered: (request: { readonly number: ObjectNumber }) => Promise<readonly string[]>;
  /** Returns the names of the objects of a tenant. */
  readonly ofTenant: (request: { readonly tenant: string }) => Promise<readonly string[]>;
  readonly newest: (request: NewestRequest) => Promise<readonly NewestObject[]>;
  readonly stats: (request: {
    readonly definitions: readonly string[];
  }) => Promise<readonly DefinitionStats[]>;
  readonly tenants: (request: {
    readonly by: TenantOrder;
    readonly limit: number;
  }) => Promise<readonly ReportedTenant[]>;
  readonly pause: (request: { readonly definition: string; readonly by?: string }) => Promise<void>;
  readonly resume: (request: { readonly definition: string }) => Promise<void>;
  /** Records what an operator did, and deletes what is too old. */
  readonly recordAction: (action: Action) => Promise<void>;
  readonly actions: (request: ActionsRequest) => Promise<readonly RecordedAction[]>;
}
