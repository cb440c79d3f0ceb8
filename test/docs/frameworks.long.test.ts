import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Backend, createMemoryBackend, type Service } from "async-request-reply";
import type { LambdaHandler } from "async-request-reply/lambda";
import express, { type Express } from "express";
import fastify, { type FastifyInstance } from "fastify";
import { Hono } from "hono";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { requestCases } from "../support/adapter-suite/cases.js";
import type { AdapterCapabilities, AdapterCase } from "../support/adapter-suite/fixtures/adapter-case.js";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { serviceOptionCases } from "../support/adapter-suite/mounting/service-options.js";
import { cancellationCases } from "../support/adapter-suite/operation/cancellation.js";
import { listCases } from "../support/adapter-suite/operation/list.js";
import { statusCases } from "../support/adapter-suite/operation/status.js";
import { streamedOperationCases } from "../support/adapter-suite/operation/stream.js";
import { waitingCases } from "../support/adapter-suite/operation/waiting.js";
import { pathFieldCases } from "../support/adapter-suite/request/path-fields.js";
import { creationCases } from "../support/adapter-suite/submit/creation.js";
import { waitingSubmissionCases } from "../support/adapter-suite/submit/waiting.js";
import { lambdaFronts } from "../support/lambda-harness.js";
import { createNodeHarness, type ToListener } from "../support/node-harness.js";
import { openFrameworkBlocks } from "./framework-blocks.js";

const blocks = openFrameworkBlocks();
afterAll(() => blocks.remove());

const mountOnExpress = await blocks.loadMount<Express>("Express");
const mountOnFastify = await blocks.loadMount<FastifyInstance>("Fastify");
const mountOnHono = await blocks.loadMount<Hono>("Hono");
type Lambda = { readonly createHandler: (backend: Backend) => LambdaHandler };
const { createHandler } = await blocks.load<Lambda>("AWS Lambda");

interface Application {
  readonly name: string;
  readonly toListener: (service: Service) => RequestListener;
  /** Whether the framework keeps repeated field lines separate. */
  readonly fieldLines: boolean;
  /** Names of further cases whose outcome the framework or its server decides. */
  readonly differs?: RegExp;
}

/**
 * Cases that a mount can break: it passes on requests, every method and query, every kind of reply, and clients that wait
 * or disconnect. All other replies differ only in what the store answers.
 */
const cases: readonly AdapterCase[] = [
  ...requestCases,
  ...statusCases,
  ...waitingCases,
  ...waitingSubmissionCases,
  ...streamedOperationCases,
  ...listCases,
  ...cancellationCases,
  ...creationCases,
];

/** In the examples, the application handles all other paths. */
const OTHER_PATHS = /^answers 404 to the unknown path|base path|404 that left a short body/;

const elsewhere = new Set([...pathFieldCases, ...serviceOptionCases, ...listCases].map(({ name }) => name));
const isAtOtherPaths = (name: string): boolean => OTHER_PATHS.test(name) || elsewhere.has(name);

const applications: readonly Application[] = [
  {
    name: "Express",
    toListener: (service) => {
      const app = express().disable("x-powered-by");
      mountOnExpress(app, service);
      return app.use(express.json());
    },
    fieldLines: true,
  },
  {
    name: "Fastify",
    toListener: (service) => {
      const app = fastify();
      mountOnFastify(app, service);
      return (req, res) => void app.ready().then(() => app.routing(req, res));
    },
    fieldLines: true,
    // Fastify's router replies 400 to an id with a broken escape.
    differs: /ids that this package never creates/,
  },
  {
    name: "Hono",
    toListener: (service) => {
      const app = new Hono();
      mountOnHono(app, service);
      return (req, res) => void getRequestListener(app.fetch)(req, res);
    },
    fieldLines: false,
    differs: /^closes the connection/,
  },
];

describe.each(applications)("an order service mounted on $name", ({ toListener, fieldLines, differs }) => {
  const harness = createNodeHarness(createMemoryBackend, toListener as ToListener);
  afterEach(harness.close);
  const kept = cases.filter(({ name }) => !isAtOtherPaths(name) && !differs?.test(name));
  const capabilities: AdapterCapabilities = { sockets: true, fieldLines, manyFields: fieldLines };
  for (const { name, needs = [], run } of kept)
    if (needs.every((capability) => capabilities[capability]))
      it(name, () => expect(run({ ...harness, capabilities })).resolves.toBeUndefined());
});

it("accepts an order on AWS Lambda", async () => {
  const handler = createHandler(createMemoryBackend());
  const event = lambdaFronts["a function URL"].toEvent(
    submission({ fields: { authorization: "Bearer demo-token" } }),
  );
  expect(await handler(event)).toMatchObject({ statusCode: 202 });
});
