import { type Backend, createMemoryBackend, type HttpRequest, type HttpResponse } from "async-request-reply";
import {
  type Console,
  type ConsoleAccess,
  type ConsoleOptions,
  createConsole,
} from "async-request-reply/console";
import { createOperatorStage, type OperatorStage } from "../support/operator/stage.js";

/** Header fields that a browser sends with a change from the page. */
export const FROM_PAGE = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

/** A console over a stage of an operator. */
export interface ConsoleStage extends OperatorStage {
  readonly console: Console;
  send(request: Partial<HttpRequest> & Pick<HttpRequest, "path">): Promise<HttpResponse>;
  /** Reads data, which must succeed. */
  read<Data>(path: string): Promise<Data>;
  /** Makes a change like the page, and returns its reply. */
  change(path: string, body?: unknown): Promise<HttpResponse>;
}

/** Creates a console for callers with this access. */
export function createConsoleStage(
  access: ConsoleAccess = "operate",
  options: Partial<ConsoleOptions> & { readonly backend?: Backend } = {},
): ConsoleStage {
  const { backend = createMemoryBackend(), ...rest } = options;
  const stage = createOperatorStage(backend);
  const console = createConsole({
    operator: stage.operator,
    authorize: () => access,
    observe: false,
    ...rest,
  });
  const send: ConsoleStage["send"] = (request) => console.handle({ method: "GET", headers: {}, ...request });
  return {
    ...stage,
    console,
    send,
    read: async (path) => dataOf(await send({ path })),
    change: (path, body = {}) =>
      send({ method: "POST", path, headers: FROM_PAGE, body: JSON.stringify(body) }),
  };
}

/** Returns the data of a reply, which must be a 200. */
export function dataOf<Data>({ status, body }: HttpResponse): Data {
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  return JSON.parse(String(body));
}
