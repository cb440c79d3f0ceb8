import {
  describeWithPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import {
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from "../support/postgres/private-postgres.js";
import { useOpen } from "./use-open.js";

/** Declares tests on a private Postgres. Without Postgres they are skipped by name, or fail if `CI` is set. */
export function describeOnPostgres(
  title: string,
  declare: (postgres: () => PrivatePostgres, installation: PostgresInstallation) => void,
  installation?: PostgresInstallation,
  options: Omit<PrivatePostgresOptions, "installation"> = {},
): void {
  const declareOn = (installation: PostgresInstallation): void =>
    declare(
      useOpen(
        () => startPrivatePostgres({ installation, ...options }),
        (postgres) => postgres.remove(),
      ),
      installation,
    );
  describeWithPostgres(title, declareOn, installation);
}
