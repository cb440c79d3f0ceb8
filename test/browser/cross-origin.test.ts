import { describe, expect, it } from "vitest";
import { useChromium } from "./chromium.js";
import { documentedFields, type Fields, servePage, serveService } from "./cors-service.js";

const openPage = useChromium();

/** Calls a function of a page of another origin with a service that sends these fields. Returns what the page has seen. */
async function callPage(name: string, change: (fields: Fields) => Fields): Promise<unknown> {
  const origin = await servePage();
  const baseUrl = await serveService(change(documentedFields(origin)));
  const page = await openPage(origin);
  // As text, because Vitest would replace the import.
  return page.evaluate(`import("/other-origin.js").then((page) => page.${name}("${baseUrl}"))`);
}

const useService = (change: (fields: Fields) => Fields): Promise<unknown> => callPage("useService", change);

const without =
  (name: string, value: string) =>
  (fields: Fields): Fields => ({
    ...fields,
    [name]: (fields[name] ?? "")
      .split(", ")
      .filter((each) => each !== value)
      .join(", "),
  });

describe("a page of another origin", () => {
  it("submits, waits, streams and cancels with the fields that docs/client.md lists", async () => {
    expect(await useService((fields) => fields)).toEqual([
      "completed",
      "/waiting.csv",
      "completed",
      "/streaming.csv",
      "OPERATION_CANCELLED",
    ]);
  });

  it("continues an output after a discard if the service exposes Stream-Next-Offset", async () => {
    const shown = ["kept", "continued"];
    const exposed = (fields: Fields): Fields => fields;
    expect(await callPage("followOutput", exposed)).toEqual({ backTo: [1], shown });
    const hidden = without("access-control-expose-headers", "Stream-Next-Offset");
    expect(await callPage("followOutput", hidden)).toEqual({ backTo: [0], shown });
  });

  it.each(["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Prefer"])(
    "gets an error that names CORS if the service does not allow %s",
    async (name) => {
      expect(documentedFields("")["access-control-allow-headers"]).toContain(name);
      expect(await useService(without("access-control-allow-headers", name))).toMatch(
        /^SERVICE_UNAVAILABLE: No reply to \w+ http:\S+\. Try again\. In browsers, check CORS\.$/,
      );
    },
  );
});
