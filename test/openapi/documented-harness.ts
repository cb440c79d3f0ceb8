import type { Service } from "async-request-reply";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import type {
  AdapterHarness,
  WireConnection,
  WireRequest,
  WireResponse,
} from "../support/adapter-suite/fixtures/adapter-case.js";
import { info } from "../support/openapi-services.js";

/** Throws if a reply does not match the document of its service. */
export type CheckReply = (document: OpenApiDocument, request: WireRequest, reply: WireResponse) => void;

/** Wraps a harness: every reply goes through a check before its case sees it. */
export function createDocumentedHarness(harness: AdapterHarness, check: CheckReply): AdapterHarness {
  return {
    ...harness,
    capabilities: { ...harness.capabilities, streams: false, fallthrough: false },
    mount: async (service: Service) => {
      const document = createOpenApiDocument(service, { info });
      const checked = (request: WireRequest, reply: WireResponse): WireResponse => {
        check(document, request, reply);
        return reply;
      };
      const { send, open } = await harness.mount(service);
      return {
        send: async (request) => checked(request, await send(request)),
        ...(open === undefined ? {} : { open: async () => checkedConnection(await open(), checked) }),
      };
    },
  };
}

/** Replies arrive in the order of their requests. */
function checkedConnection(
  { write, read, ...connection }: WireConnection,
  checked: (request: WireRequest, reply: WireResponse) => WireResponse,
): WireConnection {
  const waiting: WireRequest[] = [];
  return {
    ...connection,
    write: (request) => {
      waiting.push(request);
      return write(request);
    },
    read: async () => {
      const reply = await read();
      const request = waiting.shift();
      return request === undefined ? reply : checked(request, reply);
    },
  };
}
