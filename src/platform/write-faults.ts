import { type Database, runSql } from "./database.ts";

/** Codes of SQLSTATE with which PostgreSQL refuses whatever needs to be written. */
const faults: Readonly<Record<string, string>> = {
  "53100": "the disk of the database is full",
  "58030": "the database cannot write to its disk",
  "25006": "the database is read-only",
};

/** Codes with which PostgreSQL says that what the disk gave back is not what was written. */
const damages = new Set(["XX001", "XX002"]);

function codeOf(error: unknown): string {
  return String(((error ?? {}) as { readonly code?: unknown }).code);
}

/** Why the database could not write, in words; null for every other error. */
export function findWriteFault(error: unknown): string | null {
  return faults[codeOf(error)] ?? null;
}

/** Whether a page of the database is damaged; the rest of it can be used. */
export function isDamage(error: unknown): boolean {
  return damages.has(codeOf(error));
}

/** Takes room on the disk that was not taken before, and gives it back. */
const proof = "create temp table vedette_proof on commit drop as select repeat('v', 1000000) as v";

/**
 * Remembers that writing failed for a reason that is not the writer's, until a proof succeeds. The
 * proof is expensive, so it runs only while there is a fault to clear.
 */
export class WriteFaults {
  readonly #db: Database;
  #current: string | null = null;
  #hasMetDamage = false;

  constructor(db: Database) {
    this.#db = db;
  }

  note(error: unknown): void {
    this.#current = findWriteFault(error) ?? this.#current;
    this.#hasMetDamage ||= isDamage(error);
  }

  /** In words; null while no page was damaged. Only a sound disk and a restart end it. */
  findDamage(): string | null {
    return this.#hasMetDamage ? "a page of the database is damaged: run `vedette doctor`" : null;
  }

  /** In words; null while writing works as far as is known. */
  find(): string | null {
    return this.#current;
  }

  /** Called now and then by a loop. A proof that fails leaves, or changes, what is remembered. */
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
