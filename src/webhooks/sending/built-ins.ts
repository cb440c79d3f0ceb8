import { misuse } from "../../contract/options.js";
import { builtinModule } from "../../ports/builtin-module.js";

/** The parts of `node:http` and `node:https` that sending uses. */
interface HttpModule {
  request(
    options: Readonly<Record<string, unknown>>,
    onResponse: (response: IncomingResponse) => void,
  ): OutgoingRequest;
}

/** A response whose header has arrived. */
interface IncomingResponse {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  destroy(): void;
}

interface OutgoingRequest {
  on(event: "error", listener: (error: unknown) => void): unknown;
  end(body: Uint8Array): unknown;
}

/** The part of `node:dns` that sending uses. */
interface DnsModule {
  readonly promises: {
    lookup(
      host: string,
      options: { readonly all: true },
    ): Promise<readonly { readonly address: string; readonly family: number }[]>;
  };
}

/** Modules of Node.js that the guard needs. */
export interface BuiltIns {
  readonly dns: DnsModule;
  readonly http: HttpModule;
  readonly https: HttpModule;
}

/**
 * Returns the modules of Node.js that the guard needs.
 *
 * Throws `INVALID_OPTION` if this runtime does not have them.
 */
export function loadBuiltIns(): BuiltIns {
  const dns = builtinModule<DnsModule>("node:dns");
  const http = builtinModule<HttpModule>("node:http");
  const https = builtinModule<HttpModule>("node:https");
  if (dns !== undefined && http !== undefined && https !== undefined) return { dns, http, https };
  throw misuse(
    "Option `send` of createWebhooks is missing, and this runtime has no `node:https` and `node:dns`, which keep webhooks away " +
      "from internal addresses. Pass your own `send`, or `send: sendWithFetch` if your network keeps requests away from them.",
  );
}
