/**
 * Returns an optional text as an element of an array parameter: "" if it is absent, because these texts are never empty.
 * When `array_nulls` is off, Postgres would read a null in an array as the text "NULL".
 */
export function orEmpty(text: string | undefined): string {
  return text ?? "";
}
