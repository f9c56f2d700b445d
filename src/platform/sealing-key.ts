import type pg from "pg";
import type { Encryption } from "./encryption.ts";
import { ExplainedError } from "./explained-error.ts";

const knownText = "vedette";

function doesFit(encryption: Encryption, sealed: string): boolean {
  return encryption.tryDecrypt(sealed) === knownText;
}

async function readKnown(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ sealed: string }>("select sealed from sealing_key_check");
  return rows[0]?.sealed ?? null;
}

/**
 * Written at the first start; later starts must have the key that opens it. A database from before
 * it was written may have sealed values already: then the key must open one of those.
 */
export async function checkSealingKey(
  pool: pg.Pool,
  encryption: Encryption,
  listSealed: (pool: pg.Pool) => Promise<readonly string[]>,
): Promise<void> {
  if ((await readKnown(pool)) === null) {
    const sealed = await listSealed(pool);
    const opensOne = sealed.some((value) => encryption.tryDecrypt(value) !== null);
    if (sealed.length > 0 && !opensOne) throw explainMisfit();
    await pool.query(
      "insert into sealing_key_check (sealed) values ($1) on conflict (is_only) do nothing",
      [encryption.encrypt(knownText)],
    );
  }
  if (!doesFit(encryption, (await readKnown(pool)) ?? "")) throw explainMisfit();
}

function explainMisfit(): ExplainedError {
  return new ExplainedError(
    "The encryption key is not the one that the secrets in this database are sealed with.\n" +
      "Put the right one back: the file encryption.key in DATA_DIR from your backup, or the value " +
      "that ENCRYPTION_KEY had.\nServers that share a database need the same ENCRYPTION_KEY.\n" +
      "If the key is lost, run `npm run vedette accept-key`: the server then starts with the key " +
      "it has,\nand the secrets of alert channels and subscribers must be entered again.",
  );
}

/** From now on the key at hand is the right one; what another one sealed stays unreadable. */
export async function acceptSealingKey(pool: pg.Pool, encryption: Encryption): Promise<void> {
  await pool.query(
    `insert into sealing_key_check (sealed) values ($1)
      on conflict (is_only) do update set sealed = excluded.sealed, written_at = now()`,
    [encryption.encrypt(knownText)],
  );
}
