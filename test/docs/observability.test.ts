import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/opentelemetry/metric-descriptions.js";
import { page, root } from "../support/pages.js";

const { text } = page("docs/observability.md");
const metrics = Object.values(METRICS);
const isCounter = (name: string): boolean => text.includes(`| \`${name}\` | counter |`);
const isHistogram = (name: string): boolean => text.includes(`| \`${name}\` | histogram |`);

/** Returns the name that Prometheus gives a metric (OpenTelemetry, Prometheus and OpenMetrics Compatibility). */
function prometheusName({ name, unit }: { readonly name: string; readonly unit: string }): string {
  const suffixes = [
    unit === "s" ? "_seconds" : "",
    isCounter(name) ? "_total" : "",
    isHistogram(name) ? "_bucket" : "",
  ];
  return name.replaceAll(".", "_") + suffixes.join("");
}

/** Returns the names of metrics in expressions of Prometheus. Names of labels do not count. */
function namesIn(expressions: string): string[] {
  const labels = ["async_request_reply_definition", "async_request_reply_outcome"];
  const names = expressions.match(/\basync_request_reply_\w+/g) ?? [];
  return [...new Set(names)].filter((name) => !labels.includes(name)).sort();
}

describe("docs/observability.md", () => {
  it("lists exactly the metrics that exist, with their units", () => {
    const rows = [
      ...text.matchAll(/^\| `(async_request_reply\.[\w.]+)` \| (?:counter|histogram|gauge) \| `([^`]+)`/gm),
    ];
    expect(rows.map(([, name, unit]) => ({ name, unit }))).toEqual(
      metrics.map(({ name, unit }) => ({ name, unit })),
    );
  });

  it("has alerts on metrics that exist", () => {
    const [, rules = ""] = /```yaml\n([\s\S]+?)```/.exec(text) ?? [];
    const known = metrics.map(prometheusName);
    expect(namesIn(rules).length).toBeGreaterThan(0);
    expect(namesIn(rules).filter((name) => !known.includes(name))).toEqual([]);
  });

  it("lists the members of each message of a channel", () => {
    const source = readFileSync(join(root, "src/telemetry/messages.ts"), "utf8");
    for (const [, name = "", listed = ""] of text.matchAll(/\| `(\w+Message)`: (.+) \|$/gm)) {
      const [, body = ""] =
        new RegExp(`interface ${name} extends \\w+ \\{([\\s\\S]+?)\\n\\}`).exec(source) ?? [];
      const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, member = ""]) => member);
      expect(members.length).toBeGreaterThan(0);
      expect([...listed.matchAll(/`(\w+)`/g)].map(([, member = ""]) => member).sort()).toEqual(
        members.sort(),
      );
    }
  });
});

it("shows every metric in the dashboard for Grafana, and no others", () => {
  const dashboard = readFileSync(join(root, "examples/grafana/dashboard.json"), "utf8");
  expect(namesIn(dashboard)).toEqual(metrics.map(prometheusName).sort());
});
