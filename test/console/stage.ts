import { type Backend, createMemoryBackend, type HttpRequest, type HttpResponse } from "async-request-reply";
import { type ConsoleAccess, type ConsoleOptions, createConsole } from "async-request-reply/console";
import { createOperatorStage } from "../support/operator/stage.js";

/** Header fields that a browser sends with a change from the page. */
export const FROM_PAGE = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

export type ConsoleStage = ReturnType<typeof createConsoleStage>;

/** Creates a console over a stage of an operator, for callers with this access. */
export function createConsoleStage(
  access: ConsoleAccess = "operate",
  options: Partial<ConsoleOptions> & { readonly backend?: Backend } = {},
) {
  const { backend = createMemoryBackend(), ...rest } = options;
  const stage = createOperatorStage(backend);
  const { operator } = stage;
  const console = createConsole({ operator, authorize: () => access, observe: false, ...rest });
  const send = (request: Partial<HttpRequest> & Pick<HttpRequest, "path">) =>
    console.handle({ method: "GET", headers: {}, ...request });
  return {
    ...stage,
    console,
    send,
    /** Reads data, which must succeed. */
    read: async <Data>(path: string): Promise<Data> => dataOf(await send({ path })),
    /** Makes a change like the page, and returns its reply. */
    change: (path: string, body: unknown = {}) =>
      send({ method: "POST", path, headers: FROM_PAGE, body: JSON.stringify(body) }),
  };
}

/** Returns the data of a reply, which must be a 200. */
export function dataOf<Data>({ status, body }: HttpResponse): Data {
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  return JSON.parse(String(body));
}
