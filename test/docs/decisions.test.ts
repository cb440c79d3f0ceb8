import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linksOf } from "./links.js";
import { page, pages, root } from "./pages.js";

const decisions = pages.filter(({ path }) => /^docs\/adr\/\d/.test(path));
const list = page("docs/adr/README.md");
const table = page("docs/spec-decisions.md");
