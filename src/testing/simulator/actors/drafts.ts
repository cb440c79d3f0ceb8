import { canonicalJson } from "../../../contract/json/canonical-json.js";
import type { Order, OrderDefinition } from "../../../contract/order.js";
import type { Request } from "../ledger/payloads.js";
import type { Stage } from "../stage.js";
import { NOTICES, type NoticeDefinition } from "./notices.js";
import { orders } from "./work.js";

const KEYS = ["k1", "k2"];

/** What a caller submits, however often it has to try. */
export interface Draft {
  readonly definition: OrderDefinition | NoticeDefinition;
  readonly tenant: string;
  /** Without a key it is tried once: another try would be another operation. */
  readonly key: string | undefined;
  readonly input: Order | { readonly about: string };
}

/** What became of a try. `again`: nobody knows, or somebody else is at it. */
export type Answer = { readonly id: string } | "refused" | "again";

/** Chooses what to submit: of few keys and payloads, so that duplicates are common. */
export function chooseDraft({ world }: Stage, tenant: string): Draft {
  const { choices } = world;
  const name = KEYS[choices.choose(KEYS.length)] as string;
  const kind = choices.weighted([
    ["order", 12],
    ["other order", 2],
    ["refused order", 1],
    ["notice", 3],
    ["other notice", 1],
  ]);
  if (kind === "notice" || kind === "other notice")
    return { definition: NOTICES, tenant, key: name, input: { about: kind } };
  const quantity = { order: 1, "other order": 2, "refused order": 0 }[kind];
  const key = choices.choose(8) === 7 ? undefined : name;
  return {
    definition: orders,
    tenant,
    key: quantity === 0 ? `refused-${name}` : key,
    input: { itemId: "item", quantity },
  };
}

/** One try, as its caller remembers it. */
export function toRequest(
  { world, ledger }: Stage,
  { definition, tenant, key, input }: Draft,
  delayMs?: number,
): Request {
  const { moment } = ledger.entries;
  const { name } = definition;
  return {
    tenant,
    definition: name,
    key,
    input: canonicalJson(input),
    delayMs,
    startedAt: world.now,
    moment,
  };
}

/** Names a draft in a trace. */
export function about({ definition, key = "no key", input }: Draft): string {
  return `${definition.name} ${key} ${canonicalJson(input)}`;
}
