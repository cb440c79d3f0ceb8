import type { OperationDefinition } from "../contract/definition/definition.js";
import { checkFunction } from "../contract/option-values.js";
import { invalidOption, isObject, misuse, shown } from "../contract/options.js";
import type { Format } from "../formats/format.js";
import { jsonFormat } from "../formats/json.js";

/**
 * Checks the `formats` of a service, alone and against its definitions. Returns them with JSON first.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readFormats(
  definitions: readonly OperationDefinition[],
  given: readonly Format[] = [],
): readonly Format[] {
  if (!Array.isArray(given))
    throw invalidOption("formats", "a list of formats, such as `[xmlFormat]`", given);
  given.forEach(checkFormat);
  const formats = [jsonFormat, ...given];
  const types = formats.flatMap(({ mediaTypes }) => mediaTypes);
  const repeated = types.find((type, index) => types.indexOf(type) !== index);
  if (repeated !== undefined)
    throw misuse(
      `Two \`formats\` share the media type ${shown(repeated)}. Every format needs its own media types. JSON is built in; do not pass it.`,
    );
  const schemaReader = given.find(({ needsSchema }) => needsSchema)?.mediaTypes[0];
  const undescribed = definitions.find(({ jsonSchema }) => jsonSchema === undefined);
  if (schemaReader !== undefined && undescribed !== undefined)
    throw misuse(
      `The format ${schemaReader} needs a JSON Schema to read bodies, and the definition ${shown(undescribed.name)} in ` +
        "`definitions` has none. Pass `jsonSchema` to defineOperation(), or use a validator that exports JSON Schema.",
    );
  return formats;
}

function checkFormat(format: Format, index: number): void {
  const option = `formats[${index}]`;
  if (!isObject(format)) throw invalidOption(option, "a format, such as `xmlFormat`", format);
  const { mediaTypes, problemMediaType, parse, parseWithTree, serialize } = format;
  if (!Array.isArray(mediaTypes) || mediaTypes.length === 0)
    throw invalidOption(`${option}.mediaTypes`, 'a list such as `["application/xml"]`', mediaTypes);
  for (const [member, type] of [
    ...mediaTypes.map((each, at) => [`mediaTypes[${at}]`, each] as const),
    ["problemMediaType", problemMediaType] as const,
  ]) {
    if (typeof type !== "string" || !/^[a-z]+\/[a-z0-9.+-]+$/.test(type))
      throw invalidOption(
        `${option}.${member}`,
        "a media type in lower case, such as `application/xml`",
        type,
      );
  }
  checkFunction(`${option}.parse`, parse);
  checkFunction(`${option}.parseWithTree`, parseWithTree, { optional: true });
  checkFunction(`${option}.serialize`, serialize);
}
