import { type Database, runSql } from "../../../platform/database.ts";

export const responseActions = ["SNOOZED", "REASSIGNED", "ESCALATED"] as const;

/** A response of a person to an open alert: a snooze, a reassignment or an escalation. */
export interface AlertResponse {
  readonly id: string;
  readonly action: (typeof responseActions)[number];
  readonly at: Date;
  readonly by: string;
  /** When the snooze ends; `null` for other actions. */
  readonly until: Date | null;
  /** Name of the paged member, or description of the escalation step; `null` for a snooze. */
  readonly target: string | null;
}

interface OfAlert {
  readonly checkId: string;
  readonly alertNumber: number;
}

export async function insertResponse(
  db: Database,
  accountId: string,
  { checkId, alertNumber, ...response }: AlertResponse & OfAlert,
): Promise<void> {
  const { id, action, at, by, until, target } = response;
  await runSql(
    db,
    `insert into alert_responses (id, account_id, check_id, alert_number, action, at, actor_name,
        ends_at, target)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, accountId, checkId, alertNumber, action, at, by, until, target],
  );
}

const maxShown = 200;

/** Lists the most recent responses to an alert, sorted from oldest to newest. */
export async function listResponses(
  db: Database,
  accountId: string,
  { checkId, alertNumber }: OfAlert,
): Promise<AlertResponse[]> {
  const rows = await runSql<AlertResponse>(
    db,
    `select id, action, at, actor_name as by, ends_at as until, target from alert_responses
      where account_id = $1 and check_id = $2 and alert_number = $3 order by id desc limit $4`,
    [accountId, checkId, alertNumber, maxShown],
  );
  return rows.toReversed();
}
