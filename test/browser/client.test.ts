import { expect, it } from "vitest";
import { useChromium } from "./chromium.js";
import { documentedFields, listen, servePage, serveService } from "./cors-service.js";

const openPage = useChromium();

it("two tabs that submit the same at the same moment have the same key", async () => {
  const origin = await servePage();
  const baseUrl = await serveService(documentedFields(origin));
  const first = await openPage(origin);
  const second = await first.context().newPage();
  await second.goto(origin);
  for (let round = 0; round < 5; round++) {
    // As text, because Vitest would replace the import.
    const call = `submitAt("${baseUrl}", "${round}", ${Date.now() + 500})`;
    const submit = `import("/other-origin.js").then((page) => page.${call})`;
    const keys = await Promise.all([first, second].map((tab) => tab.evaluate(submit)));
    expect(keys).toEqual([expect.any(String), keys[0]]);
  }
});

it("a page refuses redirects, also within its origin, because it cannot read where they lead", async () => {
  const origin = await servePage();
  const received: (string | undefined)[] = [];
  const baseUrl = await listen(({ method, url }, response) => {
    for (const [name, value] of Object.entries(documentedFields(origin))) response.setHeader(name, value);
    if (method === "OPTIONS") return void response.writeHead(204).end();
    received.push(url);
    return void response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const page = await openPage(origin);
  const seen = await page.evaluate(
    `import("/other-origin.js").then((page) => page.submitToRedirect("${baseUrl}"))`,
  );
  expect(seen).toEqual([0, "REQUEST_REFUSED: The service redirects to another address. Check `baseUrl`."]);
  expect(received).toEqual(["/exports"]);
});
