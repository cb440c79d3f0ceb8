/** Files with SQL. The build and the tests load them as text. */
declare module "*.sql" {
  const text: string;
  export default text;
}

/** Files that the build embeds as text. TypeScript and stylesheets are bundled and minified first. */
declare module "*?embedded" {
  const text: string;
  export default text;
}
