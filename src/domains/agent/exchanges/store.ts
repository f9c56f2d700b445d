import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";

/** One request to an external model, exactly as sent. */
export interface Exchange {
  readonly id: string;
  readonly host: string;
  readonly model: string;
  readonly request: string;
  readonly requestBytes: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly sentAt: Date;
}

type ExchangeTables = {
  agent_exchanges: {
    id: string;
    account_id: string;
    host: string;
    model: string;
    request: string;
    request_bytes: number;
    status: number | null;
    failure: string | null;
    sent_at: Date;
  };
};

const tables = (db: Database) => db.withTables<ExchangeTables>();
/** Maximum number of exchanges per account; the oldest are deleted. */
export const maxExchanges = 100;

export async function insertExchange(
  db: Database,
  accountId: string,
  exchange: Exchange,
): Promise<void> {
  await tables(db)
    .insertInto("agent_exchanges")
    .values({
      id: exchange.id,
      account_id: accountId,
      host: exchange.host,
      model: exchange.model,
      request: exchange.request,
      request_bytes: exchange.requestBytes,
      status: exchange.status,
      failure: exchange.failure,
      sent_at: exchange.sentAt,
    })
    .execute();
  await sql`delete from agent_exchanges where account_id = ${accountId} and id <= (
      select id from agent_exchanges where account_id = ${accountId}
      order by id desc offset ${maxExchanges} limit 1)`.execute(db);
}

export async function updateExchange(
  db: Database,
  accountId: string,
  outcome: Pick<Exchange, "id" | "status" | "failure">,
): Promise<void> {
  await tables(db)
    .updateTable("agent_exchanges")
    .set({ status: outcome.status, failure: outcome.failure })
    .where("account_id", "=", accountId)
    .where("id", "=", outcome.id)
    .execute();
}

/** Lists exchanges, newest first. */
export async function listExchanges(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<Exchange[]> {
  let select = tables(db)
    .selectFrom("agent_exchanges")
    .select([
      "id",
      "host",
      "model",
      "request",
      "request_bytes as requestBytes",
      "status",
      "failure",
      "sent_at as sentAt",
    ])
    .where("account_id", "=", accountId);
  if (query.nextId !== undefined) select = select.where("id", "<=", query.nextId);
  return select
    .orderBy("id", "desc")
    .limit(query.limit + 1)
    .execute();
}

export async function deleteExchangesBefore(db: Database, before: Date): Promise<void> {
  await tables(db).deleteFrom("agent_exchanges").where("sent_at", "<", before).execute();
}
