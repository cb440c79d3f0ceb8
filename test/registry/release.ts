import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { openTerminal } from "../runtimes/quick-starts/terminal.js";
import { root } from "../support/built.js";
import { type Registry, tokenSetting } from "./registry.js";

/** The step of the workflow that publishes. */
interface Step {
  readonly uses?: string;
  readonly with?: { readonly publish: string };
  readonly env?: Readonly<Record<string, string>>;
}

/** The repository that a workflow of GitHub names in its environment. */
export const repository = "example/async-request-reply";

/**
 * Publishes like the workflow: with its command and its settings of npm, from a fresh copy of this repository, with the
 * token in the same file. Returns the tags of Git, one a line. Rejects with the output of the command if it fails.
 *
 * @param variables Replace those of the workflow
 */
export async function release(
  registry: Registry,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const { command, settings } = readWorkflow();
  const terminal = openTerminal(registry.url, {
    // It builds the package.
    commandTimeoutMs: 400_000,
    variables: {
      ...author,
      // Changesets publishes to npm if this is not in lower case.
      npm_config_registry: registry.url,
      CI: "true",
      GITHUB_REPOSITORY: repository,
      ...settings,
      ...variables,
    },
  });
  try {
    terminal.write(".npmrc", tokenSetting(registry));
    await terminal.run("mkdir checkout");
    await terminal.run(`tar ${left} --directory '${root}' --create . | tar --directory checkout --extract`);
    await terminal.run("cd checkout");
    await terminal.run(`ln -s '${root}/node_modules'`);
    await terminal.run("git init --quiet && git add . && git commit --quiet --message Release");
    await terminal.run(command);
    return await terminal.run("git tag");
  } finally {
    await terminal.close();
  }
}

/** A checkout has none of these. */
const left = ["./.git", "node_modules", "dist"].map((name) => `--exclude=${name}`).join(" ");

const author = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) => [
    [`GIT_${role}_NAME`, "release"],
    [`GIT_${role}_EMAIL`, "release@example.com"],
  ]),
);

function readWorkflow(): { readonly command: string; readonly settings: Readonly<Record<string, string>> } {
  const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const { jobs } = parse(text) as { jobs: { release: { steps: readonly Step[] } } };
  const step = jobs.release.steps.find(({ uses }) => uses?.startsWith("changesets/action@"));
  if (step?.with === undefined) throw new Error("release.yml has no step of changesets/action");
  const settings = Object.entries(step.env ?? {}).filter(([name]) => name.startsWith("NPM_CONFIG_"));
  return { command: step.with.publish, settings: Object.fromEntries(settings) };
}
