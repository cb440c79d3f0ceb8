/** A file with SQL, which the build and the tests load as text. */
declare module "*.sql" {
  const text: string;
  export default text;
}
