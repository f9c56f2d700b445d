import { allKinds, type CheckType, isCheckType, kinds } from "../../kinds/index.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { containing } from "../../platform/text/patterns.ts";
import type { BulkCheck, BulkEdit } from "./bulk/bulk-change.ts";
import type { Check, CheckStatus, PrivateSettings } from "./check.ts";
import { applyGroupSettings, type CheckGroup } from "./check-group.ts";
import { type CheckSettings, targetOf, withoutSchedule } from "./check-settings.ts";
import { type GroupRow, toGroup } from "./groups/store.ts";
import { type ListFacts, type ListFilter, writeListSql } from "./list-filter-store.ts";

interface CheckRow extends Omit<Check, "kind"> {
  readonly kind: string;
}

const columns = `id, kind, settings, variables, status, created_at as "createdAt",
  updated_at as "updatedAt"`;

function toCheck({ kind, ...row }: CheckRow): Check {
  if (!isCheckType(kind)) throw new Error(`Unknown check kind ${kind}.`);
  return { ...row, kind };
}

export type StoredCheck = Check & { readonly privateSettings: PrivateSettings };

/** Inserts any number of new checks in a single statement. */
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

/** Finds a check and locks its row, so that concurrent updates run one after the other. */
export async function findCheckForUpdate(
  db: Database,
  accountId: string,
  { id, type }: { readonly id: string; readonly type: CheckType | null },
): Promise<StoredCheck | null> {
  const [row] = await runSql<CheckRow & Pick<StoredCheck, "privateSettings">>(
    db,
    `select ${columns}, private_settings as "privateSettings" from checks
      where account_id = $1 and id = $2 and ($3::text is null or kind = $3) for update`,
    [accountId, id, type],
  );
  return row === undefined ? null : { ...toCheck(row), privateSettings: row.privateSettings };
}

export async function updateCheck(
  db: Database,
  accountId: string,
  check: StoredCheck,
): Promise<void> {
  const { settings } = check;
  await runSql(
    db,
    `update checks set name = $3, target = $4, tags = $5, group_id = $6, settings = $7,
        private_settings = $8, variables = $9, updated_at = $10
      where account_id = $1 and id = $2`,
    [
      accountId,
      check.id,
      settings.name,
      targetOf(kinds[check.kind], settings),
      settings.tags,
      settings.groupId,
      settings,
      check.privateSettings,
      JSON.stringify(check.variables),
      check.updatedAt,
    ],
  );
}

/** SQL condition: the settings of a check or group contain a setup or teardown script. */
const hasScripts = (settings: string) =>
  `coalesce(${settings} ->> 'localSetupScript', ${settings} ->> 'localTearDownScript',
    ${settings} ->> 'setupSnippetId', ${settings} ->> 'tearDownSnippetId', '') <> ''`;

/** Lists checks that may send hidden values of the given check, group or variables. */
export async function listSenders(
  db: Database,
  accountId: string,
  filter: {
    readonly ownId: string | null;
    readonly groupId: number | null;
    readonly names: readonly string[];
    /** Types whose checks are always listed. Checks with scripts are always listed too. */
    readonly types: readonly string[];
    /** Id of the last check of the previous page; `null` for the first page. */
    readonly afterId: string | null;
    readonly limit: number;
  },
): Promise<Check[]> {
  const { ownId, groupId, names, types, afterId, limit } = filter;
  const rows = await runSql<CheckRow>(
    db,
    `select ${columns} from checks where account_id = $1 and ($7::uuid is null or id > $7) and (
        id = $2 or group_id = $3 or kind = any ($6::text[]) or ${hasScripts("settings")}
        or group_id in (select id from check_groups
          where account_id = $1 and ${hasScripts("settings")})
        or exists (select from unnest($4::text[]) as wanted (word)
          where position(wanted.word in checks.settings::text) > 0)
        or group_id in (select g.id from check_groups g, unnest($4::text[]) as wanted (word)
          where g.account_id = $1 and position(wanted.word in g.settings::text) > 0))
      order by id limit $5`,
    [accountId, ownId, groupId, names, limit, types, afterId],
  );
  return rows.map(toCheck);
}

export async function findCheck(
  db: Database,
  accountId: string,
  id: string,
): Promise<Check | null> {
  const text = `select ${columns} from checks where account_id = $1 and id = $2`;
  const [row] = await runSql<CheckRow>(db, text, [accountId, id]);
  return row === undefined ? null : toCheck(row);
}

export async function findPrivateSettings(
  db: Database,
  accountId: string,
  id: string,
): Promise<PrivateSettings> {
  const text = "select private_settings as stored from checks where account_id = $1 and id = $2";
  const [row] = await runSql<{ stored: PrivateSettings }>(db, text, [accountId, id]);
  return row?.stored ?? {};
}

/** Returns the ids that are checks of the account, and locks these checks against deletion. */
export async function holdChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await runSql<{ id: string }>(
    db,
    `select id from checks where account_id = $1 and id = any($2::uuid[])
      order by id for key share`,
    [accountId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function deleteCheck(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly name: string } | null> {
  const text = "delete from checks where account_id = $1 and id = $2 returning name";
  const [row] = await runSql<{ name: string }>(db, text, [accountId, id]);
  return row ?? null;
}

export interface ChecksQuery {
  readonly limit: number;
  readonly page: number;
  readonly tag?: readonly string[] | undefined;
  readonly checkType?: string | undefined;
  readonly search?: string | undefined;
  readonly status?: CheckStatus | undefined;
  /** Ids of checks without recent results, whose stored status is ignored. */
  readonly silentIds?: readonly string[] | undefined;
  readonly groupId?: number | undefined;
}

/** Returns one page of checks and the total number for the Content-Range header. */
export async function listChecks(
  db: Database,
  accountId: string,
  query: ChecksQuery,
): Promise<{ readonly checks: Check[]; readonly total: number }> {
  const { tag, checkType, status, silentIds = [], groupId, search } = query;
  const filtered = `from checks where account_id = $1
    and ($2::text[] is null or tags && $2)
    and ($3::text is null or kind = $3)
    and ($4::text is null or (status = $4 and id <> all($5::uuid[])))
    and ($6::int is null or group_id = $6)
    and ($7::text is null or name ilike $7)`;
  const pattern = search === undefined ? null : containing(search);
  const values = [accountId, tag, checkType, status, silentIds, groupId, pattern];
  const rows = await runSql<CheckRow>(
    db,
    `select ${columns} ${filtered} order by id limit $8 offset $9`,
    [...values, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  const text = `select count(*) as total ${filtered}`;
  const [counted] = await runSql<{ total: number }>(db, text, values);
  return { checks: rows.map(toCheck), total: counted?.total ?? 0 };
}

/** Lists the ids of all checks of the account, or of its checks among the given ids. */
export async function listAccountCheckIds(
  db: Database,
  accountId: string,
  ids: readonly string[] | null,
): Promise<string[]> {
  const rows = await runSql<{ id: string }>(
    db,
    `select id from checks where account_id = $1 and ($2::uuid[] is null or id = any($2))
      order by id`,
    [accountId, ids],
  );
  return rows.map(({ id }) => id);
}

export interface WatchedCheck {
  readonly accountId: string;
  readonly checkId: string;
  /** Parses the row. Throws if the row is invalid, which does not affect other rows. */
  readonly read: () => {
    readonly check: Check;
    readonly group: CheckGroup | null;
    /** Effective settings of the check, with the group's settings applied. */
    readonly settings: CheckSettings;
  };
}

/** Lists checks of all accounts, by shard or by id, for the schedulers. */
export async function listWatchedChecks(
  db: Database,
  which: { readonly shards: readonly number[] } | { readonly ids: readonly string[] },
): Promise<WatchedCheck[]> {
  const [filter, keys] =
    "shards" in which
      ? ["get_byte(uuid_send(c.id), 15) & 63 = any($1::int[])", which.shards]
      : ["c.id = any($1::uuid[])", which.ids];
  const rows = await runSql<CheckRow & { accountId: string; group: GroupRow | null }>(
    db,
    `select c.id, c.account_id as "accountId", c.kind, c.settings, c.variables, c.status,
        c.created_at as "createdAt", c.updated_at as "updatedAt",
        case when g.id is null then null else to_jsonb(g) end as "group"
      from checks c left join check_groups g on g.id = c.group_id where ${filter}`,
    [keys],
  );
  return rows.map(({ accountId, group: groupRow, ...row }) => ({
    accountId,
    checkId: row.id,
    read: () => {
      const check = toCheck(row);
      const group = groupRow === null ? null : toGroup(groupRow);
      const kind = kinds[check.kind];
      const ruled = applyGroupSettings(kind, check.settings, group);
      return { check, group, settings: kind.isOrdered ? ruled : withoutSchedule(ruled) };
    },
  }));
}

/** Maps ping tokens to ids of checks, across all accounts. */
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

/** Stores the status of checks, in the transaction that records their runs. */
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

/** Returns the names of the account's checks, keyed by id, without deleted checks. */
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

/** Lists the ids of checks that a filter matches, at most one more than the limit. */
export async function findFilteredIds(
  db: Database,
  accountId: string,
  filter: ListFilter,
  { facts, limit }: { readonly facts: ListFacts; readonly limit: number },
): Promise<string[]> {
  const { rows, where, values } = writeListSql(accountId, filter, facts);
  const found = await runSql<{ id: string }>(
    db,
    `select c.id from ${rows} c where ${where} order by c.id limit $${values.length + 1}`,
    [...values, limit + 1],
  );
  return found.map(({ id }) => id);
}

const unordered = allKinds.filter(({ isOrdered }) => !isOrdered).map(({ type }) => type);

/** Locks checks in the order of their ids, so that concurrent bulk changes never deadlock. */
export function lockBulkChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<BulkCheck[]> {
  return runSql<BulkCheck>(
    db,
    `select id, name, tags, group_id as "groupId", is_activated as activated, is_muted as muted,
        not (settings -> 'locations' = '[]' and places = '[]') as "hasPlaces",
        kind <> all($3::text[]) as "isOrdered",
        (settings ->> 'frequency')::int as frequency,
        (settings ->> 'frequencyOffset')::int as "frequencyOffset",
        array(select jsonb_array_elements_text(case jsonb_typeof(settings -> 'locations')
          when 'array' then settings -> 'locations' else '[]' end)) as locations,
        array(select jsonb_array_elements_text(case jsonb_typeof(settings -> 'privateLocations')
          when 'array' then settings -> 'privateLocations' else '[]' end)) as "privateLocations",
        array(select s.alert_channel_id from channel_subscriptions s
          where s.check_id = checks.id and s.activated) as "alertChannelIds"
      from checks where account_id = $1 and id = any($2::uuid[]) order by id for update`,
    [accountId, ids, unordered],
  );
}

export interface PlacedEdit {
  readonly id: string;
  readonly edit: BulkEdit;
}

/** Updates settings of checks, and the columns `tags` and `group_id`, which duplicate settings. */
export async function updateBulkChecks(
  db: Database,
  accountId: string,
  { edits, at }: { readonly edits: readonly PlacedEdit[]; readonly at: Date },
): Promise<void> {
  if (edits.length === 0) return;
  await runSql(
    db,
    `update checks set settings = checks.settings || one.edit, updated_at = $3,
        tags = case when one.edit ? 'tags'
          then array(select jsonb_array_elements_text(one.edit -> 'tags')) else checks.tags end,
        group_id = case when one.edit ? 'groupId'
          then (one.edit ->> 'groupId')::int else checks.group_id end
      from jsonb_to_recordset($2::jsonb) as one (id uuid, edit jsonb)
      where checks.account_id = $1 and checks.id = one.id`,
    [accountId, JSON.stringify(edits), at],
  );
}

export async function deleteBulkChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await runSql(db, "delete from checks where account_id = $1 and id = any($2::uuid[])", [
    accountId,
    ids,
  ]);
}
