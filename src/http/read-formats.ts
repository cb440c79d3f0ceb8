import type { OperationDefinition } from "../core/definition.js";
import { checkFunction, invalidOption } from "../core/options.js";
import type { Format } from "../formats/format.js";
import { jsonFormat } from "../formats/json.js";

/**
 * Checks the formats that a service is given, against its definitions too, and puts JSON before them.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function readFormats(
  definitions: readonly OperationDefinition[],
  given: readonly Format[] = [],
): readonly Format[] {
  if (!Array.isArray(given)) throw invalidOption("formats", "a list of formats", given);
  given.forEach(checkFormat);
  const formats = [jsonFormat, ...given];
  const types = formats.flatMap(({ mediaTypes }) => mediaTypes);
  const repeated = types.find((type, index) => types.indexOf(type) !== index);
  if (repeated !== undefined)
    throw invalidOption("formats", "formats with media types of their own", repeated);
  const needy = given.find(({ needsSchema }) => needsSchema)?.mediaTypes[0];
  const undescribed = definitions.find(({ jsonSchema }) => jsonSchema === undefined);
  if (needy !== undefined && undescribed !== undefined)
    throw invalidOption(
      "operations",
      `definitions with a jsonSchema, by which ${needy} is read`,
      undescribed.name,
    );
  return formats;
}

function checkFormat(format: Format): void {
  const { mediaTypes, problemMediaType, parse, serialize } = format ?? ({} as Partial<Format>);
  for (const type of [...(mediaTypes ?? [undefined]), problemMediaType]) {
    if (typeof type !== "string" || !/^[a-z]+\/[a-z0-9.+-]+$/.test(type))
      throw invalidOption("formats", "formats with media types in lower case", type);
  }
  checkFunction("formats[].parse", parse);
  checkFunction("formats[].serialize", serialize);
}
