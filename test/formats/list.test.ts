import { allowAnonymous, createMemoryBackend, createOrderService } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/testing/manual-clock.js";
import { besidesJson } from "../support/all-formats.js";

const NAMESPACE = "https://www.npmjs.com/package/async-request-reply#order-submission";
const AT = "2030-01-01T00:00:00.000Z";
const ID = "01980000-0000-7000-8000-000000000001";

const json =
  `{"operationId":"${ID}","status":"failed","definition":"orders","createdAt":"${AT}","attempt":0,"finishedAt":"${AT}",` +
  '"error":{"type":"urn:problem:cancelled","name":"cancelled","title":"The operation was cancelled","detail":"The operation was cancelled before its work was done."}}';
const xml =
  `<operation><operationId>${ID}</operationId><status>failed</status><definition>orders</definition>` +
  `<createdAt>${AT}</createdAt><attempt>0</attempt><finishedAt>${AT}</finishedAt>` +
  "<error><type>urn:problem:cancelled</type><name>cancelled</name><title>The operation was cancelled</title>" +
  "<detail>The operation was cancelled before its work was done.</detail></error></operation>";

/** A list of one operation, and an empty list. */
const lists: Readonly<Record<string, readonly [one: string, none: string]>> = {
  "application/json": [`{"operations":[${json}]}`, '{"operations":[]}'],
  "application/xml": [`<operations>${xml}</operations>`, "<operations/>"],
  "application/yang-data+json": [
    `{"order-submission:operations":{"operation":[${json}]}}`,
    '{"order-submission:operations":{"operation":[]}}',
  ],
  "application/yang-data+xml": [
    `<operations xmlns="${NAMESPACE}">${xml}</operations>`,
    `<operations xmlns="${NAMESPACE}"/>`,
  ],
};

describe("a list of operations", () => {
  it.each(Object.entries(lists))("is written in %s", async (accept, [one, none]) => {
    const clock = createManualClock(Date.parse(AT));
    const service = createOrderService({
      authorize: allowAnonymous(),
      backend: createMemoryBackend({ clock }),
      runtime: { clock, newId: () => ID },
      formats: besidesJson,
      problemBaseUri: "urn:problem:",
      cancellable: true,
      list: true,
    });
    const list = async (): Promise<unknown> => {
      const { body } = await service.handle({ method: "GET", path: "/operations", headers: { accept } });
      return body;
    };
    expect(await list()).toBe(none);
    const headers = { "content-type": "application/json" };
    await service.handle({ method: "POST", path: "/orders", headers, body: '{"itemId":"a","quantity":1}' });
    await service.handle({ method: "DELETE", path: `/operations/${ID}`, headers });
    expect(await list()).toBe(one);
  });
});
