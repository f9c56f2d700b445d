import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { Confirmation, ConfirmationWay } from "./confirmation.ts";

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

const tables = (db: Database) => db.withTables<ConfirmationTables>();
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
  await tables(db)
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

export interface PendingQuery {
  readonly now: Date;
  readonly limit: number;
}

function selectPending(db: Database, accountId: string, now: Date) {
  return tables(db)
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
  const row = await tables(db)
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
  const row = await tables(db)
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
  await tables(db).deleteFrom("agent_confirmations").where("expires_at", "<", before).execute();
}
