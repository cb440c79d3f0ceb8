import { type Execute, type ManualTime, START_MS, stopTime } from "./stop-time.js";

/** Schemas that cases use one after the other, because migrating one takes longer than most cases. */
export interface SchemaPool {
  /** Returns an empty schema that an earlier case has released, or the name of a new one, which its back end migrates. */
  take(): string;
  /** Like `take`, but the schema exists and its time stands still. */
  takeStopped(): Promise<{ readonly schema: string; readonly time: ManualTime }>;
  /** Empties a schema for the next case. */
  release(schema: string): Promise<void>;
  /** Rejects if a case changed a schema that it released. */
  verify(): Promise<void>;
}

/** Access to the database of a pool. */
export interface SchemaPoolOptions {
  readonly execute: Execute;
  readonly query: (text: string) => Promise<{ readonly rows: readonly unknown[] }>;
  readonly newSchema: () => string;
  readonly migrate: (schema: string) => Promise<void>;
}

/** Tables that stay as they are between cases. */
const KEPT = "'migrations', 'test_clock'";

export function createSchemaPool({ execute, query, newSchema, migrate }: SchemaPoolOptions): SchemaPool {
  const free: string[] = [];
  const freeStopped: string[] = [];
  const clocks = new Map<string, ManualTime>();

  async function createStopped(): Promise<string> {
    const schema = newSchema();
    await migrate(schema);
    clocks.set(schema, await stopTime(execute, schema));
    return schema;
  }

  /** Rejects unless these schemas are like a new one. */
  async function compare(schemas: readonly string[], create: () => Promise<string>): Promise<void> {
    if (schemas.length === 0) return;
    const { rows } = await query(definitionsOf([await create(), ...schemas]));
    const [expected, ...found] = rows as readonly { readonly schema: string; readonly definition: string }[];
    const changed = found.find(({ definition }) => definition !== expected?.definition);
    if (changed !== undefined)
      throw new Error(
        `A case changed schema ${changed.schema} and released it. Such a case needs \`openOwn\`.`,
      );
  }

  return {
    take: () => free.pop() ?? newSchema(),
    takeStopped: async () => {
      const schema = freeStopped.pop() ?? (await createStopped());
      const time = clocks.get(schema) as ManualTime;
      await time.set(START_MS);
      return { schema, time };
    },
    release: async (schema) => {
      await execute(emptied(schema));
      (clocks.has(schema) ? freeStopped : free).push(schema);
    },
    verify: async () => {
      await compare(free, async () => {
        const schema = newSchema();
        await migrate(schema);
        return schema;
      });
      await compare(freeStopped, createStopped);
    },
  };
}

/** Deletes all rows, also of tables that cases add. `truncate` would wait for the disk. */
function emptied(schema: string): string {
  return `do $$ declare name text; begin
    set local lock_timeout = '5s';
    for name in select tablename from pg_tables where schemaname = '${schema}' and tablename not in (${KEPT}) loop
      execute format('delete from ${schema}.%I', name);
    end loop;
  end $$`;
}

/** Reads everything that a migration creates in each of these schemas, in this order. */
function definitionsOf(schemas: readonly string[]): string {
  const tables = "c.relnamespace = n.oid and c.relname in ('operations', 'paused', 'migrations')";
  const parts = [
    "select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = n.oid",
    `select concat(c.relname, c.relpersistence, c.relrowsecurity, c.reloptions)
       from pg_class c where ${tables}`,
    `select concat(c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull)
       from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attnum > 0 and ${tables}`,
    `select pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indrelid where ${tables}`,
    `select concat(o.conname, pg_get_constraintdef(o.oid))
       from pg_constraint o join pg_class c on c.oid = o.conrelid where ${tables}`,
    `select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${tables}`,
  ];
  const texts = parts.map((part) => `(${part})`).join(" union all ");
  return `select n.nspname as schema,
      (select string_agg(replace(text, n.nspname, 'schema'), ' ' order by replace(text, n.nspname, 'schema'))
       from (${texts}) d(text)) as definition
    from unnest(array[${schemas.map((schema) => `'${schema}'`).join()}]) with ordinality s(name, position)
    join pg_namespace n on n.nspname = s.name order by s.position`;
}
