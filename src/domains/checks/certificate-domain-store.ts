import { type Database, runPrepared } from "../../platform/database.ts";

/**
 * Returns, for checks with a configured domain, the only domain whose certificate causes alerts.
 */
export async function mapCertificateDomains(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared<{ id: string; domain: string }>(db, {
    name: "map-certificate-domains",
    text: `select id, lower(trim(private_settings ->> 'sslCheckDomain')) as domain from checks
      where id = any($1::uuid[]) and trim(private_settings ->> 'sslCheckDomain') <> ''`,
    values: [checkIds],
  });
  return new Map(rows.map(({ id, domain }) => [id, domain]));
}
