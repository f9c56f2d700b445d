import { type Database, runPrepared } from "../../../platform/database.ts";

/** A change to one target, without the actor's IP address. */
export interface TargetChange {
  readonly id: string;
  readonly at: Date;
  readonly actorName: string;
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** Lists the changes of one target, newest first. */
export function listTargetChanges(
  db: Database,
  accountId: string,
  query: {
    readonly targetId: string;
    readonly from: Date;
    readonly to: Date;
    readonly limit: number;
  },
): Promise<TargetChange[]> {
  return runPrepared<TargetChange>(db, {
    name: "list-target-changes",
    text: `select id, at, actor_name as "actorName", action, changes from audit_entries
      where account_id = $1 and target_id = $2 and at >= $3 and at < $4
      order by id desc limit $5`,
    values: [accountId, query.targetId, query.from, query.to, query.limit],
  });
}
