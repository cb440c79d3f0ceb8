import { STATUS_CODES } from "node:http";
import {
  bearer,
  createMemoryBackend,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  type OrderServiceOptions,
  type Service,
  type Worker,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { xmlFormat } from "async-request-reply/xml";
import { yamlFormat } from "async-request-reply/yaml";
import { orderYangFormats } from "async-request-reply/yang";
import * as z from "zod";
import { createShipping } from "../../examples/orders-server/work.js";
import { header } from "../../src/http/message/headers.js";
import { nextTurn } from "../../src/platform/waits.js";
import { type Curl, parseCurl, splitWords } from "./curl.js";
import { inTheFormOf, type Step } from "./steps.js";

/** The id of the first submission of a session. Every further submission, including a repeated one, adds 1. */
const FIRST_ID = 0x01a1_fb0e_5781_7461_97e0_78a2_4806_7be3n;

/** Options of the service that a session can choose with a word after `console`. */
const VARIANTS: Readonly<Record<string, Partial<OrderServiceOptions>>> = {
  cancellable: { cancellable: true },
  wait: {},
  list: { list: true },
  yaml: { formats: [yamlFormat] },
  xml: { formats: [xmlFormat] },
  yang: { formats: orderYangFormats },
  create: {
    create: ({ itemId }) => ({ body: { orderId: "o-17", itemId }, location: "/shop/orders/o-17" }),
  },
};

/** The example server without sockets: the same service and the same work, on a stopped clock. */
export interface Stage {
  readonly service: Service;
  readonly worker: Worker;
  readonly variables: Map<string, string>;
}

/** Creates the stage for all sessions of one variant on a page, which run one after the other. */
export function createStage(variant: string | undefined): Stage {
  const clock = createManualClock(Date.UTC(2026, 10, 20, 22, 23, 3, 554));
  let nextId = FIRST_ID;
  const common = {
    backend: createMemoryBackend({ clock }),
    authorize: bearer({ "demo-token": "demo" }),
    runtime: { clock, newId: () => toUuid(nextId++) },
  };
  if (variant === "reports") return createReportsStage(common);
  const options = variant === undefined ? {} : VARIANTS[variant];
  if (options === undefined)
    throw new Error(
      `Unknown session variant "${variant}". Known: reports, ${Object.keys(VARIANTS).join(", ")}.`,
    );
  const service = createOrderService({ ...common, ...options });
  const worker = createWorker(service, { orders: createShipping({ workMs: 0 }) });
  return { service, worker, variables: new Map() };
}

/** The service of the README. Its quick start is tested as a process: test/docs/quick-start.test.ts. */
function createReportsStage(common: Pick<OrderServiceOptions, "backend" | "authorize" | "runtime">): Stage {
  const input = z.object({ year: z.int().min(2000) });
  const reports = defineOperation({ name: "reports", path: "/reports", input });
  const service = createService({ ...common, definitions: [reports] });
  const worker = createWorker(service, { reports: ({ year }) => ({ pages: year - 1999 }) });
  return { service, worker, variables: new Map() };
}

/**
 * Performs one step and returns the output in the form of the page.
 *
 * @throws Error for a step that is not an assignment, a curl command or the remark `# a moment later`
 */
export async function perform(stage: Stage, step: Step): Promise<readonly string[]> {
  const { worker, variables } = stage;
  const command = step.input.slice("$ ".length);
  const [, name, value] = /^(\w+)=(.*)$/.exec(command) ?? [];
  if (step.input === "# a moment later") await worker.runUntilIdle();
  else if (name !== undefined) variables.set(name, splitWords(value ?? "", variables).join(" "));
  else return show(parseCurl(command, variables), stage, step.shown);
  return [""];
}

async function show(
  { request, withFields }: Curl,
  { service, worker }: Stage,
  shown: readonly string[],
): Promise<readonly string[]> {
  const replying = service.handle(request);
  // The clock is stopped, so a request that waits needs the work to be done now.
  if (header(request.headers, "prefer") !== undefined) {
    await nextTurn();
    await worker.runUntilIdle();
  }
  const { status, headers, body } = await replying;
  if (withFields !== shown[0]?.startsWith("HTTP/"))
    throw new Error("The page must show the header fields exactly if curl has -i or -I.");
  return inTheFormOf(shown, {
    statusLine: `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    field: (name) => headers[name],
    body: typeof body === "string" ? body : "",
  });
}

function toUuid(id: bigint): string {
  const digits = id.toString(16).padStart(32, "0");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
