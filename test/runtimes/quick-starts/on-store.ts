import { type Block, blocksOf, type Page } from "../../support/pages.js";

/** How a page says to keep operations in a store. */
export interface StoreOption {
  /** Statements that open the store, with imports. */
  readonly opening: string;
  /** The member `backend` of the options of a service. */
  readonly backend: string;
  /** Closes the store after `closeServer`, such as `.then(() => pool.end())`. */
  readonly closing: string;
  /** Packages to install besides those of the quick start. */
  readonly packages: readonly string[];
}

/**
 * Reads the first listing of a page that passes a `backend` to `createService`. A comment may stand for an import: `new
 * Pool(…); // from "pg"`.
 *
 * @throws Error if the page does not show how to open or to close the store
 */
export function readStoreOption(page: Page): StoreOption {
  const listings = blocksOf(page, "js").map(readListing);
  const listing = listings.find((found) => found !== undefined);
  const [, closing] = /closeServer\(server, service\)(\.then\(.+?\(\)\))/.exec(page.text) ?? [];
  if (listing === undefined || closing === undefined)
    throw new Error(`${page.path} must show a \`backend\` of createService, and how to close the store`);
  return { ...listing, closing };
}

function readListing({ text }: Block): Omit<StoreOption, "closing"> | undefined {
  const [, before = "", backend] =
    /^([\s\S]*)const service = createService\(\{ (backend: .+), definitions, authorize \}\);$/m.exec(text) ??
    [];
  if (backend === undefined) return undefined;
  const opening = before.replace(/^(.*new (\w+)\(.*) \/\/ from ("\S+")$/m, "import { $2 } from $3;\n$1");
  const modules = [...opening.matchAll(/ from "([^"]+)";$/gm)].map(([, name = ""]) => name);
  return { opening, backend, packages: modules.filter((name) => !/^(node:|async-request-reply)/.test(name)) };
}

/** Returns a quick start whose server keeps its operations in a store, and everything else is as before. */
export function onStore({ path, text }: Page, { opening, backend, closing, packages }: StoreOption): Page {
  const changes: readonly (readonly [RegExp, string])[] = [
    [/^(\$ )?npm install async-request-reply.*$/m, `$& ${packages.join(" ")}`],
    [/^const service = create\w+\(\{/m, `${opening}$& ${backend},`],
    [/closeServer\(server, service\)/, `$&${closing}`],
  ];
  const changed = changes.reduce((before, [from, to]) => {
    if (!from.test(before)) throw new Error(`${path} has nothing that matches ${from}`);
    return before.replace(from, to);
  }, text);
  return { path, text: changed };
}
