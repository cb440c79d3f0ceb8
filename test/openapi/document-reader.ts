import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "async-request-reply";
import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiResponse,
  PathItem,
  PathOperation,
} from "async-request-reply/openapi";

/** A document, used like a client that knows nothing else about the service. */
export interface DocumentReader {
  /** Returns the path item of a path. */
  pathItem(path: string): PathItem | undefined;
  /** Returns the decoded texts of the parameters of a path. */
  pathValues(path: string): ReadonlyMap<string, string>;
  operations(): PathOperation[];
  headersOf(response: OpenApiResponse): Map<string, OpenApiHeader>;
  /** Resolves a reference. */
  resolve(schema: JsonSchema): JsonSchema;
  isValid(schema: JsonSchema, value: unknown): boolean;
}

/** Shared by all documents, because it compiles the schema of schemas first. */
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
let documents = 0;

/** Reads a document. Follows references, and validates with schemas as JSON Schema 2020-12 defines. */
export function readDocument(document: OpenApiDocument): DocumentReader {
  const { paths, components } = document;
  documents += 1;
  const base = `https://example.com/openapi-${documents}.json`;
  ajv.addSchema({ $id: base, components });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (schema: JsonSchema): ValidateFunction => {
    // Schemas outside of the components refer to components too.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${base}#`);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as JsonSchema);
    compiled.set(text, validate);
    return validate;
  };
  const resolve = <T extends object>(target: T): T =>
    "$ref" in target ? (follow(document, String(target.$ref)) as T) : target;
  return {
    pathItem: (path) => paths[path] ?? paths[templateOf(paths, path) ?? ""],
    pathValues: (path) => valuesOf(templateOf(paths, path) ?? "", path),
    operations: () => Object.values(paths).flatMap(operationsOf),
    headersOf: ({ headers }) => {
      const resolved = Object.entries(headers).map(([name, header]) => [name.toLowerCase(), resolve(header)]);
      return new Map(resolved as [string, OpenApiHeader][]);
    },
    resolve,
    isValid: (schema, value) => validator(schema)(value) === true,
  };
}

/** Returns the matching template with the fewest parameters. */
function templateOf(paths: OpenApiDocument["paths"], path: string): string | undefined {
  const parameters = (template: string): number => template.split("{").length;
  return Object.keys(paths)
    .filter((template) => matcher(template).test(path))
    .sort((a, b) => parameters(a) - parameters(b))[0];
}

function valuesOf(template: string, path: string): Map<string, string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const [, ...texts] = matcher(template).exec(path) ?? [];
  return new Map(names.map((name, index) => [name, decodeURIComponent(texts[index] ?? "")]));
}

function matcher(template: string): RegExp {
  const [start = "", ...rest] = template.split(/\{\w+\}/).map((text) => text.replaceAll(".", "\\."));
  return new RegExp(`^${[start, ...rest].join("([^/]+)")}$`);
}

function operationsOf({ get, post, delete: remove }: PathItem): PathOperation[] {
  return [get, post, remove].filter((operation) => operation !== undefined);
}

function follow(document: OpenApiDocument, ref: string): unknown {
  const names = ref.split("/").slice(1);
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);
}
