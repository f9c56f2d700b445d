import { type Database, runSql } from "../platform/database.ts";
import type { Confirmation } from "./confirmations/confirmations.ts";

const columns = `id, tool, input, summary, via, asked_by as "askedBy", created_at as "createdAt",
  expires_at as "expiresAt"`;

export async function insertConfirmation(
  db: Database,
  accountId: string,
  confirmation: Confirmation & { readonly credentialId: string },
): Promise<void> {
  await runSql(
    db,
    `insert into agent_confirmations (id, account_id, credential_id, asked_by, via, tool, input,
        summary, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      confirmation.id,
      accountId,
      confirmation.credentialId,
      confirmation.askedBy,
      confirmation.via,
      confirmation.tool,
      JSON.stringify(confirmation.input),
      confirmation.summary,
      confirmation.createdAt,
      confirmation.expiresAt,
    ],
  );
}

/**
 * Locks the pending confirmations of an account until the transaction ends, so that concurrent
 * proposals are counted correctly.
 */
export async function lockPending(db: Database, accountId: string): Promise<void> {
  const text = "select pg_advisory_xact_lock(hashtext('agent-confirmations'), hashtext($1))";
  await runSql(db, text, [accountId]);
}

interface PendingQuery {
  readonly now: Date;
  readonly limit: number;
}

/** SQL condition for pending confirmations. $1 is the account id, and $2 is the current time. */
const isPending = "account_id = $1 and used_at is null and expires_at > $2";

export async function countPending(db: Database, accountId: string, now: Date): Promise<number> {
  const text = `select count(*) as count from agent_confirmations where ${isPending}`;
  const [row] = await runSql<{ count: number }>(db, text, [accountId, now]);
  return row?.count ?? 0;
}

/**
 * Lists the pending confirmations that a credential may see: those proposed over MCP, and those
 * proposed in answers to its own questions.
 */
export function listPending(
  db: Database,
  accountId: string,
  query: PendingQuery & { readonly credentialId: string },
): Promise<Confirmation[]> {
  return runSql(
    db,
    `select ${columns} from agent_confirmations
      where ${isPending} and (via = 'mcp' or credential_id = $3) order by id desc limit $4`,
    [accountId, query.now, query.credentialId, query.limit],
  );
}

/**
 * Marks a confirmation as used. Returns `null` if the credential has no pending confirmation with
 * this id.
 */
export async function withdrawConfirmation(
  db: Database,
  accountId: string,
  query: { readonly id: string; readonly credentialId: string; readonly now: Date },
): Promise<Confirmation | null> {
  const [row] = await runSql<Confirmation>(
    db,
    `update agent_confirmations set used_at = $2
      where ${isPending} and id = $3 and (via = 'mcp' or credential_id = $4)
      returning ${columns}`,
    [accountId, query.now, query.id, query.credentialId],
  );
  return row ?? null;
}

/**
 * Marks a confirmation as used and returns it. Returns `null` if it is no longer pending, such as
 * after a concurrent request.
 */
export async function takeConfirmation(
  db: Database,
  accountId: string,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<Confirmation | null> {
  const text = `update agent_confirmations set used_at = $2 where ${isPending} and id = $3
    returning ${columns}`;
  const [row] = await runSql<Confirmation>(db, text, [accountId, now, id]);
  return row ?? null;
}

export async function deleteConfirmationsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from agent_confirmations where expires_at < $1", [before]);
}

/**
 * A request to an external model as it was sent, truncated to a maximum length, with its outcome.
 */
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

/** Maximum number of stored exchanges per account. Older exchanges are deleted. */
export const maxExchanges = 100;

export async function insertExchange(
  db: Database,
  accountId: string,
  exchange: Exchange,
): Promise<void> {
  const { id, host, model, request, requestBytes, status, failure, sentAt } = exchange;
  await runSql(
    db,
    `insert into agent_exchanges
        (id, account_id, host, model, request, request_bytes, status, failure, sent_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, accountId, host, model, request, requestBytes, status, failure, sentAt],
  );
  await runSql(
    db,
    `delete from agent_exchanges where account_id = $1 and id <= (
      select id from agent_exchanges where account_id = $1 order by id desc offset $2 limit 1)`,
    [accountId, maxExchanges],
  );
}

export async function updateExchange(
  db: Database,
  accountId: string,
  { id, status, failure }: Pick<Exchange, "id" | "status" | "failure">,
): Promise<void> {
  const text =
    "update agent_exchanges set status = $3, failure = $4 where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id, status, failure]);
}

/** Lists exchanges, newest first. */
export function listExchanges(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<Exchange[]> {
  return runSql(
    db,
    `select id, host, model, request, request_bytes as "requestBytes", status, failure,
        sent_at as "sentAt"
      from agent_exchanges where account_id = $1 and ($2::uuid is null or id <= $2)
      order by id desc limit $3`,
    [accountId, query.nextId, query.limit + 1],
  );
}

export async function deleteExchangesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from agent_exchanges where sent_at < $1", [before]);
}
