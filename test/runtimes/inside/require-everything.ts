type Core = typeof import("async-request-reply");
type Copy = Pick<Core, "AsyncReplyError" | "isAsyncReplyError">;

/** The line that this program prints. */
export interface Loaded {
  /** Names that `require` and `import` return, by subpath. */
  readonly names: Readonly<Record<string, Readonly<Record<"required" | "imported", readonly string[]>>>>;
  /** Whether each way to load `isAsyncReplyError` recognizes the errors of each. */
  readonly recognized: readonly (readonly boolean[])[];
  /** Whether each recognizes any other error. */
  readonly others: readonly boolean[];
}

const [, , ...specifiers] = process.argv;

async function loadAll(): Promise<Loaded> {
  // First `require`, because a module that is already loaded would hide that it cannot be required.
  const required = specifiers.map((specifier) => require(specifier) as object);
  const imported = await Promise.all(specifiers.map((specifier) => import(specifier) as Promise<object>));
  const isCopy = (module: object): module is Copy => "isAsyncReplyError" in module;
  const copies = [...required, ...imported].filter(isCopy);
  return {
    names: Object.fromEntries(
      specifiers.map((specifier, index) => [
        specifier,
        { required: namesOf(required[index]), imported: namesOf(imported[index]) },
      ]),
    ),
    recognized: copies.map(({ isAsyncReplyError }) =>
      copies.map(({ AsyncReplyError }) => isAsyncReplyError(new AsyncReplyError("INTERNAL", "another copy"))),
    ),
    others: copies.map(({ isAsyncReplyError }) => isAsyncReplyError(new Error())),
  };
}

function namesOf(module: object = {}): readonly string[] {
  return Object.keys(module).sort();
}

void loadAll().then((loaded) => console.log(JSON.stringify(loaded)));
