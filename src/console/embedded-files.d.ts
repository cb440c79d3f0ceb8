/** Files that the build embeds as text. TypeScript is bundled and minified first. */
declare module "*?embedded" {
  const text: string;
  export default text;
}
