import { type Format, type ParseContext, type ParsedBody, toItems } from "../format.js";
import { jsonFormat } from "../json.js";
import { isObject } from "../json-schema.js";
import { wrongRoot } from "../malformed.js";
import { rootPlace } from "../schema-place.js";
import { type PathStep, type RestconfError, restconfErrors } from "./restconf-errors.js";
import { fromYang, toYang, yangTree } from "./values.js";

/** Creates the format for data of one module in JSON (RFC 7951). */
export function createYangJson(module: string): Format {
  const write = (root: string, value: unknown): string => JSON.stringify({ [root]: value });
  const parseWithTree = (bytes: Uint8Array, { limits, name, schema }: ParseContext): ParsedBody => {
    // The top-level member adds one level to the depth of the value.
    const inWrapper = { limits: { maxDepth: limits.maxDepth + 1 }, name, schema };
    const content = contentOf(jsonFormat.parse(bytes, inWrapper), `${module}:${name}`);
    return { value: fromYang(content, rootPlace(schema), module), tree: yangTree(content) };
  };
  return {
    mediaTypes: ["application/yang-data+json"],
    problemMediaType: "application/yang-data+json",
    needsSchema: true,
    describe: (_, { kind }) => ({
      description:
        kind === "problem"
          ? "RESTCONF errors (RFC 8040 §7.1) in JSON."
          : `Data of the YANG module ${module} in JSON (RFC 7951).`,
    }),
    parse: (bytes, context) => parseWithTree(bytes, context).value,
    parseWithTree,
    serialize: (value, { kind, ...context }) => {
      if (kind === "operation") return write(`${module}:operation`, value);
      if (kind === "operations") return write(`${module}:operations`, toItems(value));
      if (kind === "resource")
        return write(`${module}:${context.name}`, toYang(value, rootPlace(context.schema), [null]));
      const error = restconfErrors(value, context).map((each) => errorMembers(each, module));
      return write("ietf-restconf:errors", { error });
    },
  };
}

/** Returns the value of the one qualified member at the top (RFC 7951 §4). */
function contentOf(body: unknown, name: string): unknown {
  if (isObject(body) && Object.keys(body).length === 1 && Object.hasOwn(body, name)) return body[name];
  throw wrongRoot(`an object with the single member ${name} (RFC 7951 §4)`);
}

function errorMembers({ type, tag, appTag, path, message }: RestconfError, module: string): object {
  return {
    "error-type": type,
    "error-tag": tag,
    "error-app-tag": appTag,
    ...(path === undefined
      ? {}
      : { "error-path": path.map((step, index) => pathStep(step, index, module)).join("") }),
    "error-message": message,
  };
}

/**
 * Returns a step of a path. In JSON the first name is qualified, and others only if the module changes (RFC 7951
 * §6.11).
 */
function pathStep({ name, position }: PathStep, index: number, module: string): string {
  return `/${index === 0 ? `${module}:` : ""}${name}${position === undefined ? "" : `[${position}]`}`;
}
