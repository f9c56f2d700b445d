import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { Confirmation, ConfirmationWay } from "./confirmations/confirmation.ts";

type ConfirmationTables = {
  agent_confirmations: {
    id: string;
    account_id: string;
    credential_id: string;
    asked_by: string;
    via: ConfirmationWay;
    tool: string;
    input: unknown;
    summary: string;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
};

const confirmationTables = (db: Database) => db.withTables<ConfirmationTables>();
const columns = [
  "id",
  "tool",
  "input",
  "summary",
  "via",
  "asked_by as askedBy",
  "created_at as createdAt",
  "expires_at as expiresAt",
] as const;

export async function insertConfirmation(
  db: Database,
  accountId: string,
  confirmation: Confirmation & { readonly credentialId: string },
): Promise<void> {
  await confirmationTables(db)
    .insertInto("agent_confirmations")
    .values({
      id: confirmation.id,
      account_id: accountId,
      credential_id: confirmation.credentialId,
      asked_by: confirmation.askedBy,
      via: confirmation.via,
      tool: confirmation.tool,
      input: JSON.stringify(confirmation.input),
      summary: confirmation.summary,
      created_at: confirmation.createdAt,
      expires_at: confirmation.expiresAt,
      used_at: null,
    })
    .execute();
}

/**
 * Locks until the transaction ends, so that concurrent proposals of an account are counted
 * correctly.
 */
export async function lockPending(db: Database, accountId: string): Promise<void> {
  const lock = sql`hashtext('agent-confirmations'), hashtext(${accountId})`;
  await sql`select pg_advisory_xact_lock(${lock})`.execute(db);
}

interface PendingQuery {
  readonly now: Date;
  readonly limit: number;
}

function selectPending(db: Database, accountId: string, now: Date) {
  return confirmationTables(db)
    .selectFrom("agent_confirmations")
    .where("account_id", "=", accountId)
    .where("used_at", "is", null)
    .where("expires_at", ">", now);
}

export async function countPending(db: Database, accountId: string, now: Date): Promise<number> {
  const { count } = await selectPending(db, accountId, now)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Lists pending actions. Those proposed over MCP may be confirmed by everyone with write access,
 * the others only by the user who asked.
 */
export async function listPending(
  db: Database,
  accountId: string,
  query: PendingQuery & { readonly credentialId: string },
): Promise<Confirmation[]> {
  return selectPending(db, accountId, query.now)
    .select(columns)
    .where(({ or, eb }) =>
      or([eb("via", "=", "mcp"), eb("credential_id", "=", query.credentialId)]),
    )
    .orderBy("id", "desc")
    .limit(query.limit)
    .execute();
}

/**
 * Marks a proposal as used, so that its tokens stop working. Returns `null` if none waits for this
 * user.
 */
export async function withdrawConfirmation(
  db: Database,
  accountId: string,
  query: { readonly id: string; readonly credentialId: string; readonly now: Date },
): Promise<Confirmation | null> {
  const row = await confirmationTables(db)
    .updateTable("agent_confirmations")
    .set({ used_at: query.now })
    .where("account_id", "=", accountId)
    .where("id", "=", query.id)
    .where("used_at", "is", null)
    .where("expires_at", ">", query.now)
    .where(({ or, eb }) =>
      or([eb("via", "=", "mcp"), eb("credential_id", "=", query.credentialId)]),
    )
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/** Of two concurrent requests with the same token, one succeeds. */
export async function takeConfirmation(
  db: Database,
  accountId: string,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<Confirmation | null> {
  const row = await confirmationTables(db)
    .updateTable("agent_confirmations")
    .set({ used_at: now })
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteConfirmationsBefore(db: Database, before: Date): Promise<void> {
  await confirmationTables(db)
    .deleteFrom("agent_confirmations")
    .where("expires_at", "<", before)
    .execute();
}

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

const exchangeTables = (db: Database) => db.withTables<ExchangeTables>();
/** Maximum number of exchanges per account; the oldest are deleted. */
export const maxExchanges = 100;

export async function insertExchange(
  db: Database,
  accountId: string,
  exchange: Exchange,
): Promise<void> {
  await exchangeTables(db)
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
  await exchangeTables(db)
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
  let select = exchangeTables(db)
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
  await exchangeTables(db).deleteFrom("agent_exchanges").where("sent_at", "<", before).execute();
}
