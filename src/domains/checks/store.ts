import { type ColumnType, type Selectable, sql } from "kysely";
import { type CheckType, isCheckType, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Database, runPrepared } from "../../platform/database.ts";
import type { StoredVariable } from "../variables/index.ts";
import type { Check, CheckStatus, PrivateSettings } from "./check.ts";
import { applyGroupSettings, type CheckGroup } from "./check-group.ts";
import { targetOf } from "./check-secrets.ts";
import { type CheckSettings, withoutSchedule } from "./check-settings.ts";
import { type GroupRow, toGroup } from "./groups/store.ts";

/** JSON array; the driver would otherwise convert an array to a PostgreSQL array. */
export type JsonList<Item> = ColumnType<readonly Item[], string, string>;

type CheckTables = {
  checks: {
    id: string;
    account_id: string;
    kind: string;
    name: string;
    target: string | null;
    tags: string[];
    group_id: number | null;
    settings: CheckSettings;
    private_settings: PrivateSettings;
    variables: JsonList<StoredVariable>;
    status: CheckStatus;
    created_at: Date;
    updated_at: Date | null;
  };
};

type CheckRow = Pick<
  Selectable<CheckTables["checks"]>,
  "id" | "kind" | "settings" | "variables" | "status" | "created_at" | "updated_at"
>;

const tables = (db: Database) => db.withTables<CheckTables>();
const columns = [
  "id",
  "kind",
  "settings",
  "variables",
  "status",
  "created_at",
  "updated_at",
] as const;

function toCheck(row: CheckRow): Check {
  if (!isCheckType(row.kind)) throw new Error(`Unknown check kind ${row.kind}.`);
  return {
    id: row.id,
    kind: row.kind,
    settings: row.settings,
    variables: row.variables,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type StoredCheck = Check & { readonly privateSettings: PrivateSettings };

/** Inserts any number of new checks with one statement. */
export async function insertChecks(
  db: Database,
  accountId: string,
  checks: readonly StoredCheck[],
): Promise<void> {
  const list = (read: (check: StoredCheck) => unknown) => checks.map(read);
  await runPrepared(db, {
    name: "insert-checks",
    text: `insert into checks (id, account_id, kind, name, target, tags, group_id, settings,
        private_settings, variables, status, created_at)
      select added.id, $1, added.kind, added.name, added.target,
        case when added.settings -> 'tags' = '[]' then '{}'
          else array(select jsonb_array_elements_text(added.settings -> 'tags')) end,
        (added.settings ->> 'groupId')::int, added.settings, added.private_settings,
        added.variables, added.status, added.created_at
      from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[],
          $8::jsonb[], $9::text[], $10::timestamptz[])
        as added (id, kind, name, target, settings, private_settings, variables, status,
          created_at)`,
    values: [
      accountId,
      list(({ id }) => id),
      list(({ kind }) => kind),
      list(({ settings }) => settings.name),
      list(({ kind, settings }) => targetOf(kinds[kind], settings)),
      list(({ settings }) => JSON.stringify(settings)),
      list(({ privateSettings }) => JSON.stringify(privateSettings)),
      list(({ variables }) => JSON.stringify(variables)),
      list(({ status }) => status),
      list(({ createdAt }) => createdAt),
    ],
  });
}

/** Locks the row, so that concurrent updates build on each other. */
export async function findCheckForUpdate(
  db: Database,
  accountId: string,
  { id, type }: { readonly id: string; readonly type: CheckType | null },
): Promise<StoredCheck | null> {
  let select = tables(db)
    .selectFrom("checks")
    .select([...columns, "private_settings"])
    .where("account_id", "=", accountId)
    .where("id", "=", id);
  if (type !== null) select = select.where("kind", "=", type);
  const row = await select.forUpdate().executeTakeFirst();
  return row === undefined ? null : { ...toCheck(row), privateSettings: row.private_settings };
}

export async function updateCheck(
  db: Database,
  accountId: string,
  check: StoredCheck,
): Promise<void> {
  const { settings } = check;
  await tables(db)
    .updateTable("checks")
    .set({
      name: settings.name,
      target: targetOf(kinds[check.kind], settings),
      tags: [...settings.tags],
      group_id: settings.groupId,
      settings,
      private_settings: check.privateSettings,
      variables: JSON.stringify(check.variables),
      updated_at: check.updatedAt,
    })
    .where("account_id", "=", accountId)
    .where("id", "=", check.id)
    .execute();
}

/**
 * Lists checks that may send values of the group or of the check, or variables with these names.
 */
export async function listSenders(
  db: Database,
  accountId: string,
  filter: {
    readonly ownId: string | null;
    readonly groupId: number | null;
    readonly names: readonly string[];
    readonly limit: number;
  },
): Promise<Check[]> {
  const { ownId, groupId, names, limit } = filter;
  const rows = await tables(db)
    .selectFrom("checks")
    .select(columns)
    .where("account_id", "=", accountId)
    .where(
      sql<boolean>`(id = ${ownId}::uuid or group_id = ${groupId}::int
        or exists (select from unnest(${[...names]}::text[]) as wanted (word)
          where position(wanted.word in checks.settings::text) > 0)
        or group_id in (select g.id from check_groups g,
            unnest(${[...names]}::text[]) as wanted (word)
          where g.account_id = ${accountId} and position(wanted.word in g.settings::text) > 0))`,
    )
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toCheck);
}

export async function findCheck(
  db: Database,
  accountId: string,
  id: string,
): Promise<Check | null> {
  const row = await tables(db)
    .selectFrom("checks")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : toCheck(row);
}

/** Returns those of the ids that belong to the account, locked against deletion. */
export async function holdChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tables(db)
    .selectFrom("checks")
    .select("id")
    .where("account_id", "=", accountId)
    .where("id", "in", [...ids])
    .orderBy("id")
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function deleteCheck(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly name: string } | null> {
  const row = await tables(db)
    .deleteFrom("checks")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return row ?? null;
}

export interface ChecksQuery {
  readonly limit: number;
  readonly page: number;
  readonly tag?: readonly string[] | undefined;
  readonly checkType?: string | undefined;
  readonly search?: string | undefined;
  readonly status?: CheckStatus | undefined;
  /** Checks without recent results; their stored status is ignored. */
  readonly silentIds?: readonly string[] | undefined;
  readonly groupId?: number | undefined;
}

function selectChecks(db: Database, accountId: string, query: ChecksQuery) {
  let select = tables(db).selectFrom("checks").where("account_id", "=", accountId);
  if (query.tag !== undefined) {
    select = select.where(sql<boolean>`tags && ${[...query.tag]}::text[]`);
  }
  if (query.checkType !== undefined) select = select.where("kind", "=", query.checkType);
  if (query.status !== undefined) {
    const silentIds = [...(query.silentIds ?? [])];
    select = select
      .where("status", "=", query.status)
      .where(sql<boolean>`id <> all(${silentIds}::uuid[])`);
  }
  if (query.groupId !== undefined) select = select.where("group_id", "=", query.groupId);
  if (query.search !== undefined) {
    const pattern = `%${query.search.replaceAll(/[\\%_]/g, "\\$&")}%`;
    select = select.where("name", "ilike", pattern);
  }
  return select;
}

/** Returns one page and the total for Content-Range. */
export async function listChecks(
  db: Database,
  accountId: string,
  query: ChecksQuery,
): Promise<{ readonly checks: Check[]; readonly total: number }> {
  const select = selectChecks(db, accountId, query);
  const rows = await select
    .select(columns)
    .orderBy("id")
    .limit(query.limit)
    .offset(Math.max(0, query.page - 1) * query.limit)
    .execute();
  const { total } = await select
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { checks: rows.map(toCheck), total };
}

/** Lists all checks of the account, or those of the given ids that belong to it. */
export async function listAccountCheckIds(
  db: Database,
  accountId: string,
  ids: readonly string[] | null,
): Promise<string[]> {
  let select = tables(db).selectFrom("checks").select("id").where("account_id", "=", accountId);
  if (ids !== null) select = select.where("id", "in", [...ids]);
  return (await select.orderBy("id").execute()).map((row) => row.id);
}

export interface WatchedCheck {
  readonly accountId: string;
  readonly checkId: string;
  /** Throws for a row that cannot be parsed; other rows stay readable. */
  readonly read: () => {
    readonly check: Check;
    readonly group: CheckGroup | null;
    /** Effective settings: those of the group apply. */
    readonly settings: CheckSettings;
  };
}

/** Lists checks of all accounts for the schedulers, by shard or by id. */
export async function listWatchedChecks(
  db: Database,
  which: { readonly shards: readonly number[] } | { readonly ids: readonly string[] },
): Promise<WatchedCheck[]> {
  const filter =
    "shards" in which
      ? sql`get_byte(uuid_send(c.id), 15) & 63 = any(${[...which.shards]}::int[])`
      : sql`c.id = any(${[...which.ids]}::uuid[])`;
  const { rows } = await sql<CheckRow & { account_id: string; group_row: GroupRow | null }>`
    select c.id, c.account_id, c.kind, c.settings, c.variables, c.status,
      c.created_at, c.updated_at,
      case when g.id is null then null else to_jsonb(g) end as group_row
    from checks c left join check_groups g on g.id = c.group_id where ${filter}`.execute(db);
  return rows.map((row) => ({
    accountId: row.account_id,
    checkId: row.id,
    read: () => {
      const check = toCheck(row);
      const group = row.group_row === null ? null : toGroup(row.group_row);
      const kind = kinds[check.kind];
      const ruled = applyGroupSettings(kind, check.settings, group);
      return { check, group, settings: kind.isOrdered ? ruled : withoutSchedule(ruled) };
    },
  }));
}

/** Counts the account's checks by status; checks that never ran are unknown. */
export async function countCheckStatuses(
  db: Database,
  accountId: string,
): Promise<Record<CheckStatus, number>> {
  const rows = await runPrepared<{ status: CheckStatus; count: number }>(db, {
    name: "count-check-statuses",
    text: "select status, count(*)::int as count from checks where account_id = $1 group by status",
    values: [accountId],
  });
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status, count } of rows) counts[status] += count;
  return counts;
}

/** Lists checks of all accounts in id order. */
export async function listWatchedIdsAfter(
  db: Database,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(db, {
    name: "list-watched-ids-after",
    text: "select id from checks where id > $1 order by id limit $2",
    values: [afterId, limit],
  });
  return rows.map(({ id }) => id);
}

/** Returns the kind of each check by id, of any account. Deleted checks are missing. */
export async function listWatchedKinds(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, Kind>> {
  const rows = await runPrepared<{ id: string; kind: string }>(db, {
    name: "list-watched-kinds",
    text: "select id, kind from checks where id = any($1::uuid[])",
    values: [ids],
  });
  return new Map(rows.flatMap(({ id, kind }) => (isCheckType(kind) ? [[id, kinds[kind]]] : [])));
}

/** Finds the checks with these ping tokens, of any account. */
export async function listWatchedByToken(
  db: Database,
  tokens: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared<{ id: string; ping_token: string }>(db, {
    name: "list-watched-by-token",
    text: "select id, ping_token from checks where ping_token = any($1::uuid[])",
    values: [tokens],
  });
  return new Map(rows.map(({ id, ping_token }) => [ping_token, id]));
}

/** Must run in the transaction that records the runs. */
export async function saveCheckStatusesBy(
  db: Database,
  changes: readonly { readonly checkId: string; readonly status: CheckStatus }[],
): Promise<void> {
  if (changes.length === 0) return;
  await runPrepared(db, {
    name: "save-check-statuses",
    text: `update checks set status = changes.status
      from unnest($1::uuid[], $2::text[]) as changes (id, status) where checks.id = changes.id`,
    values: [changes.map((change) => change.checkId), changes.map((change) => change.status)],
  });
}

/** Returns the names of checks of an account by id. Deleted checks are missing. */
export async function mapCheckNames(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared<{ id: string; name: string }>(db, {
    name: "map-check-names",
    text: "select id, name from checks where account_id = $1 and id = any($2::uuid[])",
    values: [accountId, ids],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
