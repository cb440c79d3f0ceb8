import { type Page, page } from "../support/pages.js";

/** The quick start as it reads on one platform. */
export interface PlatformQuickStart {
  /** Title of the platform's tab, such as `Next.js`. */
  readonly platform: string;
  /** The page without the tabs of the other platforms. Its path also names the platform. */
  readonly page: Page;
}

const { path, text } = page("docs/quick-start.md");
const [before = "", tabs = "", after = ""] = text.split(/^<!-- \/?tabs -->$/m);

/** The quick starts of all platforms, in the order of their tabs. */
export const quickStarts: readonly PlatformQuickStart[] = tabs
  .split(/^### /m)
  .slice(1)
  .map((tab) => {
    const [platform = ""] = tab.split("\n", 1);
    const program = tab.slice(platform.length);
    return {
      platform,
      page: { path: `${path} ${platform}`, text: before + program + under(program, after) },
    };
  });

/** Returns the quick start of a platform. Throws if the page has no tab with this title. */
export function quickStartOn(platform: string): Page {
  const found = quickStarts.find((each) => each.platform === platform);
  if (found === undefined) throw new Error(`${path} has no tab for ${platform}`);
  return found.page;
}

/** A program with a base path tells the reader to write it into the addresses that follow. */
function under(program: string, addresses: string): string {
  const [, basePath = ""] = /basePath: "([^"]+)"/.exec(program) ?? [];
  return addresses
    .replaceAll("localhost:3000", `localhost:3000${basePath}`)
    .replaceAll("location: ", `location: ${basePath}`);
}
