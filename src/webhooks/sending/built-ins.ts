import { misuse } from "../../contract/options.js";
import { builtinModule } from "../../platform/builtin-module.js";

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
  /** `finish`: The request has left the process, so the connection stands. */
  on(event: "finish", listener: () => void): unknown;
  end(body: Uint8Array): unknown;
}

/** Asks DNS servers. */
interface Resolver {
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
  /** Ends the queries in progress. */
  cancel(): void;
}

/** The part of `node:dns` that sending uses. */
interface DnsModule {
  readonly promises: {
    readonly Resolver: new (options: { readonly timeout: number; readonly tries: number }) => Resolver;
    lookup(
      host: string,
      options: { readonly all: true },
    ): Promise<readonly { readonly address: string; readonly family: number }[]>;
  };
}

/** The part of `node:fs` that sending uses. */
interface FsModule {
  readonly promises: {
    stat(path: string): Promise<{ readonly mtimeMs: number; readonly size: number }>;
    readFile(path: string, encoding: "utf8"): Promise<string>;
  };
}

/** Modules of Node.js that the guard needs. */
export interface BuiltIns {
  readonly dns: DnsModule;
  readonly fs: FsModule;
  readonly http: HttpModule;
  readonly https: HttpModule;
  readonly process: { readonly platform: string };
}

/**
 * Returns the modules of Node.js that the guard needs.
 *
 * Throws `INVALID_OPTION` if this runtime does not have them.
 */
export function loadBuiltIns(): BuiltIns {
  const dns = builtinModule<DnsModule>("node:dns");
  const fs = builtinModule<FsModule>("node:fs");
  const http = builtinModule<HttpModule>("node:http");
  const https = builtinModule<HttpModule>("node:https");
  const process = builtinModule<BuiltIns["process"]>("node:process");
  if (dns && fs && http && https && process) return { dns, fs, http, https, process };
  throw misuse(
    "Option `send` of createWebhooks is missing, and this runtime has no `node:https` and `node:dns`, which keep webhooks away " +
      "from internal addresses. Pass your own `send`, or `send: sendWithFetch` if your network keeps requests away from them.",
  );
}
