import { type Block, blocksOf, type Page } from "../../support/pages.js";

/** How a page says to keep operations in a store. */
export interface StoreOption {
  /** Statements that open the store, with imports. */
  readonly opening: string;
  /** The member `backend` of the options of a service. */
  readonly backend: string;
  /** Closes the store after the service, such as `.then(() => pool.end())`. */
  readonly closing: string;
  /** Packages to install besides those of the quick start. */
  readonly packages: readonly string[];
  /** Options of `deno` with the permissions that the store needs. */
  readonly permissions: string;
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
  return { ...listing, closing, permissions: readPermissions(page) };
}

/** Returns the permissions that a page names for Deno. */
export function readPermissions({ text }: Page): string {
  return (text.match(/--allow-\w+/g) ?? []).join(" ");
}

/**
 * Returns a store that is opened with another client, as in the listing of its page that imports this module.
 *
 * @throws Error if the page has no such listing
 */
export function withClient(store: StoreOption, page: Page, module: string): StoreOption {
  const other = blocksOf(page, "js").find(({ text }) => text.includes(`from "${module}";`));
  if (other === undefined) throw new Error(`${page.path} has no listing that imports ${module}`);
  const backEnd = store.opening.split("\n").filter((line) => line.includes("async-request-reply"));
  return { ...store, opening: [...backEnd, other.text, ""].join("\n") };
}

function readListing({ text }: Block): Pick<StoreOption, "opening" | "backend" | "packages"> | undefined {
  const [, before = "", backend] =
    /^([\s\S]*)const service = createService\(\{ (backend(?:: .+)?), definitions(?:: .+)?, authorize \}\);$/m.exec(
      text,
    ) ?? [];
  if (backend === undefined) return undefined;
  const opening = before.replace(/^(.*new (\w+)\(.*) \/\/ from ("\S+")$/m, "import { $2 } from $3;\n$1");
  const modules = [...opening.matchAll(/ from "([^"]+)";$/gm)].map(([, name = ""]) => name);
  return { opening, backend, packages: modules.filter((name) => !/^(node:|async-request-reply)/.test(name)) };
}

/** Returns a quick start whose server keeps its operations in a store, and everything else is as before. */
export function onStore({ path, text }: Page, store: StoreOption): Page {
  const { opening, backend, closing, packages, permissions } = store;
  const installs = (command: string): string =>
    [command, ...packages.map((name) => (/ npm:/.test(command) ? `npm:${name}` : name))].join(" ");
  const lines = opening.split(/^/m);
  const isImport = (line: string): boolean => line.startsWith("import ");
  const imports = lines.filter(isImport).join("");
  const statements = lines.filter((line) => !isImport(line)).join("");
  const changed = text
    .replace(/^(\$ )?\w+ (install|add) .*\basync-request-reply\b.*$/m, installs)
    .replace(/^import .* from "async-request-reply";$/m, `${imports}$&`)
    .replace(/^ *const service = create\w+\(\{/m, `${statements}$& ${backend},`)
    .replace(/closeServer\(server, service\)|service\.close\(\)/, `$&${closing}`)
    .replace(/^deno serve/m, `$& ${permissions}`);
  for (const part of [imports, statements, closing, ...packages])
    if (!changed.includes(part)) throw new Error(`${path} has no place for ${part}`);
  return { path, text: changed };
}
