import version1 from "./1.sql";

/** Additions of one version to the schema. */
export interface Addition {
  readonly text: string;
  /**
   * Lowest version that a release must know to use the file afterwards. The previous release keeps working with a
   * schema that only adds to its own.
   */
  readonly needs: number;
}

/** All versions, in order. Never change or remove one, so that the previous release keeps working with the schema. */
export const VERSIONS: readonly Addition[] = [{ text: version1, needs: 1 }];

/** Schema version that this release needs. */
export const SCHEMA_VERSION: number = VERSIONS.length;
