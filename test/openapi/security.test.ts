import { type Authorize, allowAnonymous, apiKey, bearer, createOrderService } from "async-request-reply";
import {
  createOpenApiDocument,
  type OpenApiDocument,
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

const hooks: readonly {
  readonly hook: string;
  readonly authorize: Authorize;
  readonly name: string;
  readonly scheme: object;
}[] = [
  { hook: "bearer", authorize: bearer(known), name: "bearer", scheme: { type: "http", scheme: "bearer" } },
  {
    hook: "apiKey",
    authorize: apiKey(known, { header: "X-Shop-Key" }),
    name: "apiKey",
    scheme: { type: "apiKey", in: "header", name: "X-Shop-Key" },
  },
  {
    hook: "a hook that declares nothing",
    authorize: denies,
    name: "bearer",
    scheme: { type: "http", scheme: "bearer" },
  },
  {
    hook: "a hook with a challenge",
    authorize: Object.assign(() => undefined, { challenge: 'DPoP algs="ES256"' }),
    name: "dpop",
    scheme: { type: "http", scheme: "dpop" },
  },
  {
    hook: "a hook whose scheme cannot name a component",
    authorize: Object.assign(() => undefined, { challenge: "x!y" }),
    name: "x_y",
    scheme: { type: "http", scheme: "x!y" },
  },
  {
    hook: "a hook that declares its scheme",
    authorize: Object.assign(() => undefined, { scheme: { type: "mutualTLS" } as const }),
    name: "mutualTLS",
    scheme: { type: "mutualTLS" },
  },
];

describe("the security of a document", () => {
  it.each(hooks)("comes from the authorize hook: $hook", ({ authorize, name, scheme }) => {
    expect(securityOf(documentOf(authorize))).toEqual({
      schemes: { [name]: scheme },
      security: [{ [name]: [] }],
    });
  });

  it("is empty if everyone is allowed, and there is no 401 or 403", () => {
    const document = documentOf(allowAnonymous());
    expect(securityOf(document)).toEqual({ security: [] });
    for (const operation of [
      document.paths["/orders"]?.post,
      document.paths["/operations/{operationId}"]?.get,
    ]) {
      expect(Object.keys(operation?.responses ?? {})).toContain("400");
      expect(Object.keys(operation?.responses ?? {})).not.toContain("401");
      expect(Object.keys(operation?.responses ?? {})).not.toContain("403");
    }
  });

  it("can be set with options, which allow any of the schemes by default", () => {
    const securitySchemes = {
      session: { type: "apiKey", in: "cookie", name: "session" },
      sso: {
        type: "openIdConnect",
        openIdConnectUrl: "https://sso.example.com/.well-known/openid-configuration",
      },
    } as const;
    expect(securityOf(documentOf(denies, { securitySchemes }))).toEqual({
      schemes: securitySchemes,
      security: [{ session: [] }, { sso: [] }],
    });
    const security = [{ session: [], sso: ["orders"] }];
    expect(securityOf(documentOf(denies, { securitySchemes, security }))).toEqual({
      schemes: securitySchemes,
      security,
    });
  });

  it("contains the challenge of a 401", async () => {
    const authorize = Object.assign(denies, { challenge: 'DPoP algs="ES256"' });
    const { paths } = documentOf(authorize);
    const { headers } = await createOrderService({ authorize }).handle({
      method: "POST",
      path: "/orders",
      headers: [],
    });
    expect(paths["/orders"]?.post?.responses[401]?.headers["WWW-Authenticate"]).toMatchObject({
      required: true,
      schema: { const: headers["www-authenticate"] },
    });
  });
});
