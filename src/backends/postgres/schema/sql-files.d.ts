/** File with SQL. The build and the tests load it as text. */
declare module "*.sql" {
  const text: string;
  export default text;
}
