import type { Order, OrderDefinition } from "../../../contract/definition/order.js";
import { canonicalJson } from "../../../contract/json/canonical-json.js";
import type { Request } from "../ledger/payloads.js";
import type { Stage } from "../stage.js";
import { NOTICES, type NoticeDefinition } from "./notices.js";

/** A client and its tenant. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
}

const KEYS = ["k1", "k2"];

/** A submission of a caller, which can take several tries. */
export interface Draft {
  readonly definition: OrderDefinition | NoticeDefinition;
  readonly tenant: string;
  /** The client, who is the principal of its requests and calls. */
  readonly principal: string;
  /** Without a key, there is only one try, because another try would create another operation. */
  readonly key: string | undefined;
  readonly input: Order | { readonly about: string };
}

/**
 * Outcome of a try. `retry`: the outcome is unknown, or another process is handling the submission. `full`: the backlog has no
 * room for it now.
 */
export type Answer = { readonly id: string } | "refused" | "retry" | "full";

/** Chooses what to submit. There are few keys and payloads, so that duplicates are common. */
export function chooseDraft({ world, orders }: Stage, { name: principal, tenant }: Caller): Draft {
  const { choices } = world;
  const keyName = KEYS[choices.choose(KEYS.length)] as string;
  const kind = choices.weighted([
    ["order", 12],
    ["other order", 2],
    ["refused order", 1],
    ["notice", 3],
    ["other notice", 1],
  ]);
  if (kind === "notice" || kind === "other notice")
    return { definition: NOTICES, tenant, principal, key: keyName, input: { about: kind } };
  const quantity = { order: 1, "other order": 2, "refused order": 0 }[kind];
  const key = choices.choose(8) === 7 ? undefined : keyName;
  return {
    definition: orders,
    tenant,
    principal,
    key: quantity === 0 ? `refused-${keyName}` : key,
    input: { itemId: "item", quantity },
  };
}

/** Creates the record that a caller keeps of one try. */
export function toRequest(
  { world, ledger }: Stage,
  { definition, tenant, principal, key, input }: Draft,
  delayMs?: number,
): Request {
  const { moment } = ledger.entries;
  const { name } = definition;
  return {
    tenant,
    principal,
    definition: name,
    key,
    input: canonicalJson(input),
    delayMs,
    startedAt: world.now,
    moment,
  };
}

/** Describes a draft in a trace. */
export function describeDraft({ definition, key = "no key", input }: Draft): string {
  return `${definition.name} ${key} ${canonicalJson(input)}`;
}
