/**
 * Returns an optional text as an element of an array parameter, and "" for an absent text. A text that is present is
 * never empty. Nulls are avoided because Postgres reads them as the text "NULL" in arrays if `array_nulls` is off.
 */
export function orEmpty(text: string | undefined): string {
  return text ?? "";
}
