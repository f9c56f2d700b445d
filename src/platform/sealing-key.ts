import { type Database, runSql } from "./database.ts";
import type { Encryption } from "./encryption.ts";
import { ExplainedError } from "./errors.ts";

const knownText = "vedette";

/**
 * Whether an encryption key is the current key of a database. `sealed` is a known text that was
 * encrypted with the current key.
 */
export function doesFit(encryption: Encryption, sealed: string): boolean {
  return encryption.tryDecrypt(sealed) === knownText;
}

async function readKnown(db: Database): Promise<string | null> {
  const [known] = await runSql<{ sealed: string }>(db, "select sealed from sealing_key_check");
  return known?.sealed ?? null;
}

/** Returns the stored check value; `null` if there is none, or if the table does not exist yet. */
async function readKnownIfThere(db: Database): Promise<string | null> {
  const text = "select to_regclass('sealing_key_check') is not null as is_there";
  const [table] = await runSql<{ is_there: boolean }>(db, text);
  return table?.is_there ? readKnown(db) : null;
}

/**
 * Rejects a wrong encryption key before the server migrates the database or creates a key file. An
 * unavailable database is ignored here, because a later step reports it.
 */
export async function rejectForeignKey(db: Database, current: Encryption | null): Promise<void> {
  const known = await readKnownIfThere(db).catch(() => null);
  if (known === null) return;
  if (current === null) throw explainMissing();
  if (!doesFit(current, known)) throw explainMisfit();
}

/**
 * Writes the check value at the first start. At later starts, the key must decrypt it. An older
 * database may contain secrets but no check value; the key must then decrypt at least one of the
 * secrets.
 */
export async function checkSealingKey(
  db: Database,
  encryption: Encryption,
  listSealed: (db: Database) => Promise<readonly string[]>,
): Promise<void> {
  if ((await readKnown(db)) === null) {
    const sealed = await listSealed(db);
    const opensOne = sealed.some((value) => encryption.tryDecrypt(value) !== null);
    if (sealed.length > 0 && !opensOne) throw explainMisfit();
    await runSql(
      db,
      "insert into sealing_key_check (sealed) values ($1) on conflict (is_only) do nothing",
      [encryption.encrypt(knownText)],
    );
  }
  if (!doesFit(encryption, (await readKnown(db)) ?? "")) throw explainMisfit();
}

function explainMissing(): ExplainedError {
  return new ExplainedError(
    "This server has no encryption key, but the secrets in this database are encrypted.\n" +
      "Servers that share a database need the same ENCRYPTION_KEY: set it to the value that the " +
      "others have, or to\nthe content of the file encryption.key in the DATA_DIR of the first " +
      "one.\nIf the key is lost, run `npm run vedette accept-key`: the server then starts with a " +
      "new one,\nand the secrets of alert channels, subscribers, variables and client " +
      "certificates\nmust be entered again, and authenticator apps must be set up again.",
  );
}

function explainMisfit(): ExplainedError {
  return new ExplainedError(
    "The encryption key is not the one that encrypted the secrets in this database.\n" +
      "Restore the right one: the file encryption.key in DATA_DIR from your backup, or the value " +
      "that ENCRYPTION_KEY had.\nServers that share a database need the same ENCRYPTION_KEY.\n" +
      "If the key is lost, run `npm run vedette accept-key`: the server then starts with the key " +
      "it has,\nand the secrets of alert channels, subscribers, variables and client certificates\nmust be entered again, and authenticator apps must be set up again.",
  );
}

/**
 * Stores a check value for the current key. Secrets that were encrypted with another key stay
 * unreadable.
 */
export async function acceptSealingKey(db: Database, encryption: Encryption): Promise<void> {
  await runSql(
    db,
    `insert into sealing_key_check (sealed) values ($1)
      on conflict (is_only) do update set sealed = excluded.sealed, written_at = now()`,
    [encryption.encrypt(knownText)],
  );
}

/**
 * Whether the key decrypts the secrets of this database; `null` if the database has no check value
 * yet.
 */
export async function findKeyFit(
  db: Database,
  encryption: Encryption | null,
): Promise<boolean | null> {
  const known = await readKnown(db);
  return known === null ? null : encryption !== null && doesFit(encryption, known);
}
