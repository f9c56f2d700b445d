/** Recognises PostgreSQL errors that callers handle. */

import type pg from "pg";
import { type Database, runSql } from "./database.ts";
import { ExplainedError, readCode } from "./errors.ts";

/** SQLSTATE codes that report why PostgreSQL rejects all writes. */
const faults: Readonly<Record<string, string>> = {
  "53100": "the database disk is full",
  "58030": "the database cannot write to its disk",
  "25006": "the database is read-only",
};

/** SQLSTATE codes that report corrupted data. */
const damages = new Set(["XX001", "XX002"]);

/** Returns why the database rejects all writes, or `null` if the error has another cause. */
export function findWriteFault(error: unknown): string | null {
  return faults[readCode(error)] ?? null;
}

/** Whether the error reports a damaged page of the database. Other pages stay usable. */
export function isDamage(error: unknown): boolean {
  return damages.has(readCode(error));
}

/**
 * Explains a damaged page to an operator, with the name of its table or index. PostgreSQL reports
 * the number of its file. Returns other errors unchanged.
 */
export async function explainDamage(error: unknown, client: pg.Client): Promise<unknown> {
  if (!isDamage(error)) return error;
  const { message } = error as Error;
  const [, file] = /base\/\d+\/(\d+)/.exec(message) ?? [];
  const name = await client
    .query("rollback")
    .then(() => client.query("select pg_filenode_relation(0, $1)::regclass::text as name", [file]))
    .then(({ rows: [row] }) => row.name ?? "the database")
    // The damage may be in the catalogue that has the names.
    .catch(() => "the database");
  return new ExplainedError(
    `A page of ${name} is damaged: ${message}\n` +
      'The section "A damaged page" of docs/operate.md describes what to do.',
  );
}

/** Statement that fails if the disk is full. It allocates disk space, which the commit frees. */
const proof = "create temp table vedette_proof on commit drop as select repeat('v', 1000000) as v";

/**
 * Remembers why the database rejects all writes, until a test write succeeds. The test write is
 * expensive, so it runs only while writes are known to fail.
 */
export class WriteFaults {
  readonly #db: Database;
  #current: string | null = null;
  #hasDamage = false;

  constructor(db: Database) {
    this.#db = db;
  }

  note(error: unknown): void {
    this.#current = findWriteFault(error) ?? this.#current;
    this.#hasDamage ||= isDamage(error);
  }

  /** Returns a description if a damaged page was found since the start; otherwise `null`. */
  findDamage(): string | null {
    return this.#hasDamage ? "a page of the database is damaged: run `vedette doctor`" : null;
  }

  /**
   * Returns why writes fail, or `null` if no write has failed since the last successful test write.
   */
  find(): string | null {
    return this.#current;
  }

  /** If writes failed, tries a test write, and clears the fault if the test write succeeds. */
  async prove(): Promise<void> {
    if (this.#current === null) return;
    await runSql(this.#db, proof).then(
      () => {
        this.#current = null;
      },
      (error) => this.note(error),
    );
  }
}

const uniqueViolation = "23505";
const foreignKeyViolation = "23503";
const deadlockDetected = "40P01";

/** Returns the name of the violated unique constraint, or `null` for any other error. */
export function findTakenConstraint(error: unknown): string | null {
  if (readCode(error) !== uniqueViolation) return null;
  const { constraint } = error as { readonly constraint?: unknown };
  return typeof constraint === "string" ? constraint : null;
}

/**
 * Whether a statement violates a foreign key, usually because another transaction has deleted the
 * referenced row.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  return readCode(error) === foreignKeyViolation;
}

/** Whether PostgreSQL rolled the transaction back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return readCode(error) === deadlockDetected;
}

const lockNotAvailable = "55P03";

/** Whether another session held a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return readCode(error) === lockNotAvailable;
}

const duplicateTable = "42P07";

/**
 * Whether another session has created the same object at the same time. PostgreSQL reports this
 * with one of two codes.
 */
export function isAlreadyThere(error: unknown): boolean {
  const code = readCode(error);
  return code === duplicateTable || code === uniqueViolation;
}

const undefinedTable = "42P01";

export function isMissingTable(error: unknown): boolean {
  return readCode(error) === undefinedTable;
}
