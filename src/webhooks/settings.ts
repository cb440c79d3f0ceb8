import { callback, integer, optional } from "../contract/option-values.js";
import { invalidOption, type OptionTable, readOptions } from "../contract/options.js";
import type { Principal } from "../ports/authorize.js";
import type { Clock } from "../ports/runtime.js";
import { createGuardedSend } from "./sending/guarded-send.js";
import type { SendWebhook, WebhookAnswer, WebhookRequest } from "./sending/send.js";
import type { WebhookMessage } from "./sign-webhook.js";

/** The receiver of a tenant, and the secrets that sign its webhooks. */
export interface WebhookEndpoint {
  /** URL of the receiver: https, port 443, without credentials. Default: only requests with `Webhook-URL` are announced. */
  readonly url?: string | undefined;
  /**
   * Secrets that sign: `whsec_…` (HMAC) or `whsk_…` (Ed25519). Pass the new and the old one while you rotate them.
   * Required unless you pass `sign`.
   */
  readonly secrets?: readonly string[] | undefined;
}

/** The webhook that a signature is for. */
export interface WebhookTopic {
  /** Tenant that owns the operation. */
  readonly tenant: string;
  /** Name of the definition of the operation. */
  readonly definition: string;
  /** URL of the receiver. */
  readonly url: string;
}

/** Options of {@link createWebhooks}. Only `endpoint` is required. */
export interface WebhooksOptions {
  /**
   * Returns the endpoint of a tenant for operations of a definition, or undefined if the tenant has none. It is called for
   * every attempt, so a new URL or secret also applies to deliveries that are retried. Secrets are never stored. If the
   * request chose a URL, it is the third argument and replaces the endpoint's.
   */
  readonly endpoint: (
    tenant: string,
    definition: string,
    requestedUrl: string | undefined,
  ) => WebhookEndpoint | undefined | PromiseLike<WebhookEndpoint | undefined>;
  /**
   * Lets requests choose their receiver with `Webhook-URL`, and code with `webhookUrl`, if it returns true. For code, the
   * id is the option `principal`, or the tenant without one. The secrets are still those of `endpoint`. Default: none; every
   * choice is refused.
   */
  readonly allow?: (url: string, principal: Required<Principal>) => boolean | PromiseLike<boolean>;
  /**
   * Returns the value of `webhook-signature`, for example from a key management service. Default: signs with the
   * `secrets` of the endpoint.
   */
  readonly sign?: (message: WebhookMessage, topic: WebhookTopic) => string | PromiseLike<string>;
  /**
   * Sends a webhook. Default: `node:https`, to addresses of the public internet only. On runtimes without it, this
   * option is required.
   */
  readonly send?: SendWebhook;
  /**
   * Origins, such as `http://127.0.0.1:8080`, that may use any scheme, port and address. Use them for tests and for
   * receivers in your own network. Default: none.
   */
  readonly trustedOrigins?: readonly string[];
  /** Maximum number of concurrent deliveries of a worker. Default: half of the worker's `concurrency`, at least 1. */
  readonly concurrency?: number;
}

type Given = Pick<WebhooksOptions, "endpoint"> & {
  readonly [Name in "allow" | "sign" | "send" | "concurrency"]: WebhooksOptions[Name] | undefined;
} & { readonly trustedOrigins: ReadonlySet<string> };

const OPTIONS: OptionTable<Given> = {
  endpoint: callback(),
  allow: optional(callback()),
  sign: optional(callback()),
  send: optional(callback()),
  trustedOrigins: readOrigins,
  concurrency: optional(integer(1)),
};

/** {@link WebhooksOptions} with their defaults. */
export type WebhookSettings = Omit<Given, "send"> & {
  readonly send: (request: WebhookRequest, clock: Clock) => Promise<WebhookAnswer>;
};

/**
 * Checks the options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readWebhookSettings(options: WebhooksOptions): WebhookSettings {
  const { send, ...settings } = readOptions(options, OPTIONS, "createWebhooks");
  return {
    ...settings,
    send: send === undefined ? createGuardedSend(settings.trustedOrigins) : (request) => send(request),
  };
}

function readOrigins(origins: unknown = []): ReadonlySet<string> {
  if (!Array.isArray(origins)) throw invalidOption("trustedOrigins", "a list of origins", origins);
  for (const origin of origins)
    if (typeof origin !== "string" || !URL.canParse(origin) || new URL(origin).origin !== origin)
      throw invalidOption(
        "trustedOrigins",
        `a list of origins such as "http://127.0.0.1:8080", without a path`,
        origin,
      );
  return new Set(origins);
}
