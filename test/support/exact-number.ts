/** A decimal as an exact fraction: `mantissa × 10^power`. */
function exact(lexeme: string): { readonly mantissa: bigint; readonly power: number } {
  const [decimal = "", power = "0"] = lexeme.toLowerCase().split("e");
  const [whole = "", fraction = ""] = decimal.split(".");
  return { mantissa: BigInt(whole + fraction), power: Number(power) - fraction.length };
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [exact(left), exact(right)];
  const power = Math.min(a.power, b.power);
  return a.mantissa * 10n ** BigInt(a.power - power) === b.mantissa * 10n ** BigInt(b.power - power);
}

/** The rule for numbers in exact arithmetic: a number that becomes an integer must have been that integer. */
export function isNumberKept(lexeme: string): boolean {
  const value = Number(lexeme);
  return Number.isFinite(value) && (!Number.isInteger(value) || isEqual(lexeme, String(value)));
}

/** Returns whether two JSON texts without white space differ at most in the spelling of their numbers. */
export function equalNumbers(left: string, right: string): boolean {
  const parts = (text: string): string[] => text.split(/(-?\d[\d.eE+-]*)(?=[\],}])/);
  const [a, b] = [parts(left), parts(right)];
  return (
    a.length === b.length && a.every((part, i) => part === b[i] || (i % 2 === 1 && isEqual(part, b[i] ?? "")))
  );
}
