import type pg from "pg";
import type { Encryption } from "./encryption.ts";
import { ExplainedError } from "./explained-error.ts";

const knownText = "vedette";

function doesFit(encryption: Encryption, sealed: string): boolean {
  return encryption.tryDecrypt(sealed) === knownText;
}

/** Written at the first start; later starts must have the key that opens it. */
export async function checkSealingKey(pool: pg.Pool, encryption: Encryption): Promise<void> {
  await pool.query(
    "insert into sealing_key_check (sealed) values ($1) on conflict (is_only) do nothing",
    [encryption.encrypt(knownText)],
  );
  const { rows } = await pool.query<{ sealed: string }>("select sealed from sealing_key_check");
  if (doesFit(encryption, rows[0]?.sealed ?? "")) return;
  throw new ExplainedError(
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
