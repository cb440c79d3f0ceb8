import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/opentelemetry/metric-descriptions.js";
import { page, root } from "../support/pages.js";

const { text } = page("docs/observability.md");
const metrics = Object.values(METRICS);

describe("docs/observability.md", () => {
  it("lists exactly the metrics that exist, with their units", () => {
    const rows = [
      ...text.matchAll(/^\| `(async_request_reply\.[\w.]+)` \| (?:counter|histogram|gauge) \| `([^`]+)`/gm),
    ];
    expect(rows.map(([, name, unit]) => ({ name, unit }))).toEqual(
      metrics.map(({ name, unit }) => ({ name, unit })),
    );
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
