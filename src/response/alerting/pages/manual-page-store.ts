import type { AlertMessage } from "../../../channels/alert-channels/index.ts";
import { type Database, runSql } from "../../../platform/database.ts";

export interface NewManualPage {
  readonly id: string;
  readonly alertId: string;
  readonly checkId: string;
  readonly userId: string;
  readonly recipient: string;
  readonly message: AlertMessage;
  readonly at: Date;
}

/** Stores a page that a person requested. The same transaction must store its messages. */
export async function insertManualPage(
  db: Database,
  accountId: string,
  page: NewManualPage,
): Promise<void> {
  const { id, alertId, checkId, userId, recipient, message, at } = page;
  await runSql(
    db,
    `insert into deliveries (id, account_id, alert_id, check_id, channel_type, recipient, message,
        status, next_attempt_at, decided_at, sent_at, page_id, user_id)
      values ($1, $2, $3, $4, 'ONCALL', $5, $6, 'SENT', $7, $7, $7, $1, $8)`,
    [id, accountId, alertId, checkId, recipient, JSON.stringify(message), at, userId],
  );
}

const isManual = "channel_type = 'ONCALL' and method_id is null and alert_channel_id is null";

export async function findManualPage(
  db: Database,
  accountId: string,
  id: string,
): Promise<Omit<NewManualPage, "message" | "at"> | null> {
  const [row] = await runSql<Omit<NewManualPage, "message" | "at">>(
    db,
    `select id, alert_id as "alertId", check_id as "checkId", user_id as "userId", recipient
      from deliveries where id = $1 and account_id = $2 and ${isManual}`,
    [id, accountId],
  );
  return row ?? null;
}

export async function hasManualPageSince(
  db: Database,
  accountId: string,
  page: { readonly alertId: string; readonly userId: string; readonly since: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `select 1 from deliveries where account_id = $1 and alert_id = $2 and user_id = $3
      and decided_at > $4 and ${isManual} limit 1`,
    [accountId, page.alertId, page.userId, page.since],
  );
  return rows.length > 0;
}
