import { type Database, runPrepared } from "../../../platform/database.ts";

export interface CheckAlert {
  readonly id: string;
  readonly kind: string;
  readonly at: Date;
}

/** Lists the alerts of a check that were sent within a time range, newest first. */
export function listSentAlerts(
  db: Database,
  checkId: string,
  query: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<CheckAlert[]> {
  return runPrepared<CheckAlert>(db, {
    name: "list-sent-alerts",
    text: `select id, kind, at from alerts where check_id = $1 and held_kind is null
        and at >= $2 and at < $3 order by id desc limit $4`,
    values: [checkId, query.from, query.to, query.limit],
  });
}
