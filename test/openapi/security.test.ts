import { type Authorize, allowAnonymous, apiKey, bearer, createOrderService } from "async-request-reply";
import {
  createOpenApiDocument,
  type OpenApiDocument,
  type PathOperation,
  type SecurityOptions,
} from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import { info } from "../support/openapi-services.js";

const denies = (): undefined => undefined;
const known = { "token-of-a": "a" };

function documentOf(authorize: Authorize, options: SecurityOptions = {}): OpenApiDocument {
  return createOpenApiDocument(createOrderService({ authorize }), { info, ...options });
}

function securityOf({ components, security }: OpenApiDocument): unknown {
  return { schemes: components.securitySchemes, security };
}

const DPOP = 'DPoP algs="ES256"';
const challenging = (challenge: string) => Object.assign(() => undefined, { challenge });
const BEARER = { type: "http", scheme: "bearer" };
const KEY = { type: "apiKey", in: "header", name: "X-Shop-Key" };
const MUTUAL = { type: "mutualTLS" } as const;

describe("the security of a document", () => {
  it.each<[hook: string, authorize: Authorize, name: string, scheme: object]>([
    ["bearer", bearer(known), "bearer", BEARER],
    ["apiKey", apiKey(known, { header: "X-Shop-Key" }), "apiKey", KEY],
    ["a hook that declares nothing", denies, "bearer", BEARER],
    ["a hook with a challenge", challenging(DPOP), "dpop", { type: "http", scheme: "dpop" }],
    ["one whose scheme cannot name a component", challenging("x!y"), "x_y", { type: "http", scheme: "x!y" }],
    ["one that declares its scheme", Object.assign(() => undefined, { scheme: MUTUAL }), "mutualTLS", MUTUAL],
  ])("comes from the authorize hook: %s", (_, authorize, name, scheme) => {
    const security = [{ [name]: [] }];
    expect(securityOf(documentOf(authorize))).toEqual({ schemes: { [name]: scheme }, security });
  });

  it("is empty if everyone is allowed, and there is no 401 or 403", () => {
    const document = documentOf(allowAnonymous());
    expect(securityOf(document)).toEqual({ security: [] });
    const { "/orders": orders, "/operations/{operationId}": operation } = document.paths;
    for (const { responses = {} } of [orders?.post ?? {}, operation?.get ?? {}] as Partial<PathOperation>[]) {
      expect(responses).toHaveProperty("400");
      expect(responses).not.toHaveProperty("401");
      expect(responses).not.toHaveProperty("403");
    }
  });

  it("can be set with options, which allow any of the schemes by default", () => {
    const securitySchemes = {
      session: { type: "apiKey", in: "cookie", name: "session" },
      sso: { type: "openIdConnect", openIdConnectUrl: "https://sso.example.com/.well-known/openid" },
    } as const;
    expect(securityOf(documentOf(denies, { securitySchemes }))).toEqual({
      schemes: securitySchemes,
      security: [{ session: [] }, { sso: [] }],
    });
    const security = [{ session: [], sso: ["orders"] }];
    const document = documentOf(denies, { securitySchemes, security });
    expect(securityOf(document)).toEqual({ schemes: securitySchemes, security });
  });

  it("contains the challenge of a 401", async () => {
    const authorize = challenging(DPOP);
    const { paths } = documentOf(authorize);
    const request = { method: "POST", path: "/orders", headers: [] };
    const { headers } = await createOrderService({ authorize }).handle(request);
    expect(paths["/orders"]?.post?.responses[401]?.headers["WWW-Authenticate"]).toMatchObject({
      required: true,
      schema: { const: headers["www-authenticate"] },
    });
  });
});
