import { type Database, runSql } from "../../../platform/database.ts";

/** Number of removed credentials of each kind. */
export interface RemovedCredentials {
  readonly apiKeys: number;
  readonly sessions: number;
  readonly authenticatorApps: number;
  readonly passkeys: number;
}

/**
 * Removes everything that could be used to sign in or act as this user, except the password.
 * Networks of earlier sign-ins are no longer trusted either.
 */
export async function deleteCredentialsOf(
  db: Database,
  userId: string,
): Promise<RemovedCredentials> {
  const deleteFrom = async (table: string) => {
    const text = `delete from ${table} where user_id = $1 returning 1`;
    return (await runSql(db, text, [userId])).length;
  };
  const removed = {
    apiKeys: await deleteFrom("api_keys"),
    sessions: await deleteFrom("sessions"),
    authenticatorApps: await deleteFrom("totp_secrets"),
    passkeys: await deleteFrom("passkeys"),
  };
  const others = ["recovery_codes", "sign_in_links", "sign_in_networks", "email_changes"];
  for (const table of [...others, "oidc_identities"]) await deleteFrom(table);
  return removed;
}
