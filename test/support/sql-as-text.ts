/** A Vite plugin that loads SQL files as text, like the build does. */
export const sqlAsText = {
  name: "sql-as-text",
  transform: (text: string, id: string): { code: string; map: null } | undefined =>
    id.endsWith(".sql") ? { code: `export default ${JSON.stringify(text)};`, map: null } : undefined,
};
