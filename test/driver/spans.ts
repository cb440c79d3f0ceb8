/** A time from `from` to `to`. Milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns when more than `most` of these spans overlap. */
export function whenMoreThan(most: number, spans: readonly Span[]): readonly Span[] {
  const edges = spans
    .flatMap(({ from, to }) =>
      from < to
        ? [
            { at: from, by: 1 },
            { at: to, by: -1 },
          ]
        : [],
    )
    // A span that ends makes room for one that begins at the same time.
    .sort((one, other) => one.at - other.at || one.by - other.by);
  const found: Span[] = [];
  let count = 0;
  let since: number | undefined;
  for (const { at, by } of edges) {
    count += by;
    if (count > most) since ??= at;
    else if (since !== undefined) {
      if (at > since) found.push({ from: since, to: at });
      since = undefined;
    }
  }
  return found;
}

/** Returns the parts of a span that none of the others touches. */
export function without(span: Span, others: readonly Span[]): readonly Span[] {
  const left: Span[] = [];
  let { from } = span;
  for (const other of whenMoreThan(0, others)) {
    if (other.to <= from) continue;
    if (other.from >= span.to) break;
    if (other.from > from) left.push({ from, to: other.from });
    from = other.to;
  }
  if (from < span.to) left.push({ from, to: span.to });
  return left;
}

export const lengthOf = ({ from, to }: Span): number => to - from;
