import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";

type TriggerTables = { checks: { id: string; account_id: string; name: string } };

/** Finds a check that opens incidents for the service. Uses the index `checks_trigger_service`. */
export async function findCheckThatTriggers(
  db: Database,
  accountId: string,
  serviceId: string,
): Promise<{ readonly id: string; readonly name: string } | null> {
  const row = await db
    .withTables<TriggerTables>()
    .selectFrom("checks")
    .select(["id", "name"])
    .where("account_id", "=", accountId)
    .where(sql<string>`settings->'triggerIncident'->>'serviceId'`, "=", serviceId)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
