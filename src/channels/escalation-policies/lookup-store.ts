import { type Database, runPrepared } from "../../platform/database.ts";
import type { EscalationPolicy } from "./escalation-policy.ts";
import { policyColumns } from "./store.ts";

/** Loads policies by id from all accounts. The caller must check the account of each policy. */
export async function mapPolicies(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, EscalationPolicy & { readonly accountId: string }>> {
  if (ids.length === 0) return new Map();
  const rows = await runPrepared<EscalationPolicy & { accountId: string }>(db, {
    name: "map-escalation-policies",
    text: `select ${policyColumns}, account_id as "accountId" from escalation_policies
      where id = any($1::uuid[])`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}
