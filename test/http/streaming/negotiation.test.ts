import { describe, expect, it } from "vitest";
import { yamlFormat } from "../../../src/formats/yaml/index.js";
import { createWaitingService } from "../../support/waiting-service.js";
import { requestStream } from "./open-stream.js";

const STREAM = "text/event-stream";
const JSON_TYPE = "application/json";
const YAML = "application/yaml";

describe("a GET of an operation gets", () => {
  it.each([
    ["text/event-stream", STREAM],
    ["Text/Event-Stream", STREAM],
    [" text/event-stream ;charset=utf-8", STREAM],
    ["text/event-stream, application/json;q=0.9", STREAM],
    ["application/json;q=0.9,text/event-stream", STREAM],
    ["text/event-stream, */*;q=0.1", STREAM],
    ["text/event-stream, application/yaml;q=0.5", STREAM],
    ["text/event-stream, application/json", JSON_TYPE],
    ["application/json, text/event-stream", JSON_TYPE],
    ["text/event-stream, */*", JSON_TYPE],
    ["text/event-stream;q=0.5, application/yaml", YAML],
    ["text/event-stream;q=0, */*", JSON_TYPE],
    ["*/*", JSON_TYPE],
    ["application/json;q=0.5, */*", YAML],
  ])("for `Accept: %s` the media type %s", async (accept, mediaType) => {
    const { service, submit } = createWaitingService({ formats: [yamlFormat] });
    const reply = await requestStream(service, await submit(), { fields: { accept } });
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, mediaType]);
    await service.close();
  });

  it.each([["text/*"], ["text/event-stream;q=0"], ["text/event-streams"]])(
    "a 406 that names every media type for `Accept: %s`",
    async (accept) => {
      const { service, submit } = createWaitingService();
      const reply = await requestStream(service, await submit(), { fields: { accept } });
      expect(reply.status).toBe(406);
      expect(reply.body).toContain("Available: application/json, text/event-stream.");
    },
  );

  it("a 406 that does not name streams if they are turned off", async () => {
    const { service, submit } = createWaitingService({ maxStreamMs: 0 });
    const reply = await requestStream(service, await submit());
    expect(reply.body).toContain("Available: application/json.");
  });
});
