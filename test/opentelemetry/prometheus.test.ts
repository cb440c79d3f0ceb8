import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { createOperator } from "async-request-reply/operator";
import { describe, expect, it, onTestFinished } from "vitest";
import { METRICS } from "../../src/opentelemetry/metric-descriptions.js";
import { page, root } from "../support/pages.js";
import { createStage, exportsOf } from "../support/webhooks/stage.js";
import { record } from "./telemetry.js";

/** Names of the labels of each time series, by the name of its metric. */
type Series = ReadonlyMap<string, ReadonlySet<string>>;

/** Does some work, and returns what Prometheus reads from the exporter of OpenTelemetry for Node.js. */
async function scrape(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const server = createServer((req, res) => exporter.getMetricsRequestHandler(req, res)).listen(0);
  const stage = await createStage();
  onTestFinished(async () => {
    server.close();
    await stage.close();
  });
  const { backend, service, post, submit, work } = stage;
  const definitions = [{ ...exportsOf, limits: { running: 4 } }];
  const operator = createOperator({ backend, definitions, observe: false });
  record({ operator, service }, [exporter]);
  await submit();
  await post("nothing");
  await work();
  const { port } = server.address() as AddressInfo;
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** Returns the time series of a scrape of the exporter. */
function seriesOf(text: string): Series {
  const samples = [...text.matchAll(/^(async_request_reply_\w+)\{(.*)\} \S+$/gm)];
  return new Map(
    samples.map(([, name = "", labels = ""]) => [
      name,
      new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label)),
    ]),
  );
}

/**
 * Returns the time series that Prometheus and the Collector make of the same metrics if they get them over OTLP: the names have
 * units (OpenTelemetry, Prometheus and OpenMetrics Compatibility).
 */
function overOtlp(text: string): Series {
  const inSeconds = [...text.matchAll(/^# UNIT (\w+) s$/gm)].map(([, name = ""]) => name);
  return new Map(
    [...seriesOf(text)].map(([name, labels]) => {
      const base = inSeconds.find((known) => name.startsWith(known));
      return [base === undefined ? name : name.replace(base, `${base}_seconds`), labels];
    }),
  );
}

interface Selector {
  readonly names: RegExp;
  readonly labels: readonly string[];
}

/** Returns what an expression selects, and the labels that it needs. */
function selectorsIn(expression: string): readonly Selector[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(", "),
  );
  const selectors = expression
    .replaceAll(/\bby \([^)]*\)/g, "")
    .matchAll(/(\basync_request_reply_\w+)?\{([^}]*)\}|\basync_request_reply_\w+/g);
  return [...selectors].map(([whole, name = whole, matchers = ""]) => {
    const pairs = [...matchers.matchAll(/(\w+)[=!]~?"([^"]*)"/g)];
    const { __name__: names = name, ...labels } = Object.fromEntries(
      pairs.map(([, label, value]) => [label, value]),
    );
    return { names: new RegExp(`^(?:${names})$`), labels: [...Object.keys(labels), ...grouped] };
  });
}

function matching(series: Series, { names }: Selector): readonly string[] {
  return [...series.keys()].filter((name) => names.test(name));
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
}

const { panels, templating } = JSON.parse(
  readFileSync(join(root, "examples/grafana/dashboard.json"), "utf8"),
) as Dashboard;
const charts = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

const variables = templating.list
  .filter(({ type }) => type === "query")
  .map(({ query }) => query.replace(/^label_values\((.+), (\w+)\)$/, "max by ($2) ($1)"));
const { text: observability } = page("docs/observability.md");
const alerts = [...observability.matchAll(/^ +expr: ([\s\S]+?)\n +(?:for|annotations):/gm)].map(
  ([, expression = ""]) => expression,
);

describe.each([
  ["from the exporter of OpenTelemetry for Node.js", seriesOf],
  ["over OTLP", overOtlp],
])("the metrics that Prometheus gets %s", (_, read) => {
  it.each([
    ["the alerts", alerts],
    ["the dashboard for Grafana", [...variables, ...charts]],
  ])("are what the expressions of %s select, and have their labels", async (_, expressions) => {
    const series = read(await scrape());
    const selectors = expressions.flatMap(selectorsIn);
    expect(selectors.length).toBeGreaterThanOrEqual(expressions.length);
    const wrong = selectors.filter((selector) => {
      const [name = "", ...others] = matching(series, selector);
      return others.length > 0 || !selector.labels.every((label) => series.get(name)?.has(label));
    });
    expect(wrong).toEqual([]);
  });

  it("are all in the dashboard", async () => {
    const series = read(await scrape());
    const shown = charts.flatMap(selectorsIn).flatMap((selector) => matching(series, selector));
    const all = [...series.keys()].filter((name) => !/_(?:sum|count)$/.test(name));
    expect([...new Set(shown)].sort()).toEqual(all.sort());
    expect(all).toHaveLength(Object.keys(METRICS).length);
  });
});

it("names the metric to scale on as each way to Prometheus does", async () => {
  const text = await scrape();
  const names = page("docs/functions.md").text.match(/\basync_request_reply_\w+/g) ?? [];
  const [series, other] = [seriesOf(text), overOtlp(text)];
  expect(names).toEqual([
    expect.toSatisfy((name: string) => series.has(name)),
    expect.toSatisfy((name: string) => other.has(name)),
  ]);
});
