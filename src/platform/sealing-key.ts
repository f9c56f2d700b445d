import { type Database, runSql } from "./database.ts";
import type { Encryption } from "./encryption.ts";
import { ExplainedError } from "./explained-error.ts";

const knownText = "vedette";

/** Whether this is the key that the secrets of a database are sealed with. */
export function doesFit(encryption: Encryption, sealed: string): boolean {
  return encryption.tryDecrypt(sealed) === knownText;
}

async function readKnown(db: Database): Promise<string | null> {
  const [known] = await runSql<{ sealed: string }>(db, "select sealed from sealing_key_check");
  return known?.sealed ?? null;
}

/** A database that is still empty has not even the table. */
async function readKnownIfThere(db: Database): Promise<string | null> {
  const text = "select to_regclass('sealing_key_check') is not null as is_there";
  const [table] = await runSql<{ is_there: boolean }>(db, text);
  return table?.is_there ? readKnown(db) : null;
}

/**
 * Before anything is written, to the database or the data folder: a server that cannot open what
 * others sealed is turned away. Where the database does not answer, others say so better.
 */
export async function rejectForeignKey(db: Database, atHand: Encryption | null): Promise<void> {
  const known = await readKnownIfThere(db).catch(() => null);
  if (known === null) return;
  if (atHand === null) throw explainMissing();
  if (!doesFit(atHand, known)) throw explainMisfit();
}

/**
 * Written at the first start; later starts must have the key that opens it. A database from before
 * it was written may have sealed values already: then the key must open one of those.
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
    "This server has no encryption key, and the secrets in this database are sealed with one.\n" +
      "Servers that share a database need the same ENCRYPTION_KEY: set it to the value that the " +
      "others have, or to\nthe content of the file encryption.key in the DATA_DIR of the first " +
      "one.\nIf the key is lost, run `npm run vedette accept-key`: the server then starts with a " +
      "new one,\nand the secrets of alert channels, subscribers, variables and client " +
      "certificates\nmust be entered again, and authenticator apps be set up anew.",
  );
}

function explainMisfit(): ExplainedError {
  return new ExplainedError(
    "The encryption key is not the one that the secrets in this database are sealed with.\n" +
      "Put the right one back: the file encryption.key in DATA_DIR from your backup, or the value " +
      "that ENCRYPTION_KEY had.\nServers that share a database need the same ENCRYPTION_KEY.\n" +
      "If the key is lost, run `npm run vedette accept-key`: the server then starts with the key " +
      "it has,\nand the secrets of alert channels, subscribers, variables and client certificates\nmust be entered again, and authenticator apps be set up anew.",
  );
}

/** From now on the key at hand is the right one; what another one sealed stays unreadable. */
export async function acceptSealingKey(db: Database, encryption: Encryption): Promise<void> {
  await runSql(
    db,
    `insert into sealing_key_check (sealed) values ($1)
      on conflict (is_only) do update set sealed = excluded.sealed, written_at = now()`,
    [encryption.encrypt(knownText)],
  );
}

/** Whether the key opens the secrets of this database; null where none are sealed yet. */
export async function findKeyFit(
  db: Database,
  encryption: Encryption | null,
): Promise<boolean | null> {
  const known = await readKnown(db);
  return known === null ? null : encryption !== null && doesFit(encryption, known);
}
