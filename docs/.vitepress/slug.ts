/** Returns the anchor of a heading, computed as on GitHub, so that links work both there and on the site. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
