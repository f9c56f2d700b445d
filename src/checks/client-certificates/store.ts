import { type Database, runSql } from "../../platform/database.ts";
import type { ClientCertificateRecord } from "./certificate-input.ts";

const columns = `id, host, certificate, ca, sealed_key as "sealedKey", created_at as "createdAt"`;

export async function insertCertificate(
  db: Database,
  accountId: string,
  { id, host, certificate, ca, sealedKey, createdAt }: ClientCertificateRecord,
): Promise<void> {
  await runSql(
    db,
    `insert into client_certificates
      (id, account_id, host, certificate, ca, sealed_key, created_at)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, accountId, host, certificate, ca, sealedKey, createdAt],
  );
}

export async function countCertificates(db: Database, accountId: string): Promise<number> {
  const text = "select count(*)::int as count from client_certificates where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

/** Lists all certificates of the account, without pages because their number is limited. */
export async function listCertificates(
  db: Database,
  accountId: string,
): Promise<ClientCertificateRecord[]> {
  const text = `select ${columns} from client_certificates where account_id = $1 order by id`;
  return runSql(db, text, [accountId]);
}

export async function findCertificate(
  db: Database,
  accountId: string,
  id: string,
): Promise<ClientCertificateRecord | null> {
  const text = `select ${columns} from client_certificates where account_id = $1 and id = $2`;
  const [row] = await runSql<ClientCertificateRecord>(db, text, [accountId, id]);
  return row ?? null;
}

export async function deleteCertificate(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly host: string } | null> {
  const text = "delete from client_certificates where account_id = $1 and id = $2 returning host";
  const [row] = await runSql<{ host: string }>(db, text, [accountId, id]);
  return row ?? null;
}

/** Lists the encrypted keys of the newest certificates of all accounts, at most `maxValues`. */
export async function listSealedInCertificates(db: Database, maxValues: number): Promise<string[]> {
  const text = "select sealed_key as sealed from client_certificates order by id desc limit $1";
  const rows = await runSql<{ sealed: string }>(db, text, [maxValues]);
  return rows.map(({ sealed }) => sealed);
}
