import { misuse } from "../../../contract/options.js";

/**
 * Recognizes the database of the pool by its mark: its name, and when the schema was created in it. A transaction can be open in
 * another database with the same schema.
 */
export interface OwnDatabase {
  /** Returns the mark, or null if it has not been read yet. */
  mark(): string | null;
  /** Reads the mark. */
  read(): Promise<void>;
  /**
   * Compares another mark with the own one. If they differ, reads the own one again, because the schema may have been created
   * again since.
   *
   * Throws `INVALID_OPTION` with the sentence that `refuse` returns if the mark is that of another database.
   */
  refuseOther(found: string | null, refuse: (other: string, own: string) => string): Promise<void>;
}

/** Creates the knowledge of a database. */
export function createOwnDatabase(readMark: () => Promise<string | null>): OwnDatabase {
  let mark: string | null = null;
  const read = async (): Promise<void> => {
    mark = await readMark();
  };
  return {
    mark: () => mark,
    read,
    refuseOther: async (found, refuse) => {
      if (found === mark) return;
      await read();
      if (found !== null && mark !== null && found !== mark)
        throw misuse(refuse(nameIn(found), nameIn(mark)));
    },
  };
}

function nameIn(mark: string): string {
  return JSON.stringify(mark.slice(0, mark.lastIndexOf(" ")));
}
