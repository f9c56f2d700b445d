import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { type Mute, type MuteIndex, type MuteTarget, nameOwned, nameTarget } from "./mute.ts";

/** A mute with the name of its check, group or tag. The name is empty for a mute of the account. */
export interface NamedMute extends Mute {
  readonly name: string;
}

const columns = `m.id, jsonb_build_object('type', case when m.check_id is not null then 'CHECK'
    when m.group_id is not null then 'GROUP' when m.tag is not null then 'TAG' else 'ACCOUNT' end,
    'checkId', m.check_id, 'groupId', m.group_id, 'tag', m.tag) as target,
  m.ends_at as "endsAt", m.reason, m.author, m.version, m.created_at as "createdAt",
  m.updated_at as "updatedAt", coalesce(c.name, g.name, m.tag, '') as name`;
const sources = `mutes m left join checks_with_period c on c.id = m.check_id
  left join group_labels g on g.id = m.group_id`;

/**
 * SQL query for mutes that end after $3: mutes of the checks $2, and all mutes of groups, tags and
 * whole accounts in the accounts $1.
 */
export const applyingMutes = `with applying as (
    select * from mutes where check_id = any($2::uuid[])
    union all select * from mutes where check_id is null and account_id = any($1::uuid[]))
  select account_id as "accountId", target, ends_at as "endsAt", author as by, reason
  from applying where ends_at > $3`;

/**
 * Loads the mutes that may apply to the given checks. A single query selects mutes of checks by
 * check id and all other mutes by account id.
 */
export async function loadMutes(
  db: Database,
  about: {
    readonly accountIds: readonly string[];
    readonly checkIds: readonly string[];
    readonly now: Date;
  },
): Promise<MuteIndex> {
  const rows = await runPrepared<{
    accountId: string;
    target: string;
    endsAt: Date;
    by: string;
    reason: string;
  }>(db, {
    name: "load-mutes",
    text: applyingMutes,
    values: [about.accountIds, about.checkIds, about.now],
  });
  return new Map(
    rows.map(({ accountId, target, endsAt, by, reason }) => [
      nameOwned(accountId, target),
      { untilMs: endsAt.getTime(), by, reason },
    ]),
  );
}

export interface MutesQuery {
  /** If set, lists only mutes that apply to this check directly, or by group, tag or account. */
  readonly checkId?: string | undefined;
  /** If set, lists only mutes that apply to every check of this group. */
  readonly groupId?: number | undefined;
  readonly limit: number;
  readonly page: number;
}

/** Lists the mutes in force, sorted by their end. */
export async function listMutes(
  db: Database,
  accountId: string,
  query: MutesQuery & { readonly now: Date },
): Promise<{ readonly mutes: NamedMute[]; readonly total: number }> {
  const rows = await runSql<NamedMute & { total: number }>(
    db,
    `select ${columns}, count(*) over ()::int as total from ${sources}
      where m.account_id = $1 and m.ends_at > $2
        and ($3::uuid is null or exists (select 1 from checks_with_group one
          where one.id = $3 and one.account_id = $1 and (m.check_id = one.id
            or m.group_id = one.group_id or m.tag = any(one.tags) or m.target = 'account')))
        and ($4::int is null or exists (select 1 from group_labels one
          where one.id = $4 and one.account_id = $1 and (m.group_id = one.id
            or m.tag = any(one.tags) or m.target = 'account')))
      order by m.ends_at, m.id limit $5 offset $6`,
    [
      accountId,
      query.now,
      query.checkId ?? null,
      query.groupId ?? null,
      query.limit,
      Math.max(0, query.page - 1) * query.limit,
    ],
  );
  const mutes = rows.map(({ total: _total, ...mute }) => mute);
  return { mutes, total: rows[0]?.total ?? 0 };
}

/** Returns the mute in force with the given id; `null` if it does not exist. */
export async function findMute(
  db: Database,
  accountId: string,
  about: { readonly id: string; readonly now: Date; readonly isLocked?: boolean },
): Promise<NamedMute | null> {
  const [row] = await runSql<NamedMute>(
    db,
    `select ${columns} from ${sources} where m.account_id = $1 and m.id = $2 and m.ends_at > $3
      ${about.isLocked ? "for update of m" : ""}`,
    [accountId, about.id, about.now],
  );
  return row ?? null;
}

/** Returns the mutes of the given targets, by target name. Mutes that have ended are included. */
export async function mapMutesOf(
  db: Database,
  accountId: string,
  targets: readonly MuteTarget[],
): Promise<Map<string, NamedMute>> {
  const rows = await runSql<NamedMute>(
    db,
    `select ${columns} from ${sources} where m.account_id = $1 and m.target = any($2::text[])`,
    [accountId, targets.map(nameTarget)],
  );
  return new Map(rows.map((row) => [nameTarget(row.target), row]));
}

/** Inserts mutes. A mute replaces an existing mute of the same target. */
export async function saveMutes(
  db: Database,
  accountId: string,
  mutes: readonly Mute[],
): Promise<void> {
  await runSql(
    db,
    `insert into mutes as m (id, account_id, check_id, group_id, tag, target, ends_at, reason,
        author, version, created_at, updated_at)
      select id, $1, check_id, group_id, tag, target, ends_at, reason, author, version, created_at,
        updated_at
      from jsonb_to_recordset($2::jsonb) as one (id uuid, check_id uuid, group_id int, tag text,
        target text, ends_at timestamptz, reason text, author text, version int,
        created_at timestamptz, updated_at timestamptz)
      on conflict (account_id, target) do update set id = excluded.id,
        ends_at = excluded.ends_at, reason = excluded.reason, author = excluded.author,
        version = excluded.version, created_at = excluded.created_at,
        updated_at = excluded.updated_at`,
    [
      accountId,
      JSON.stringify(
        mutes.map(({ target, endsAt, createdAt, updatedAt, ...rest }) => ({
          ...rest,
          check_id: target.checkId,
          group_id: target.groupId,
          tag: target.tag,
          target: nameTarget(target),
          ends_at: endsAt,
          created_at: createdAt,
          updated_at: updatedAt,
        })),
      ),
    ],
  );
}

export async function deleteMutes(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  await runSql(db, "delete from mutes where account_id = $1 and id = any($2::uuid[])", [
    accountId,
    ids,
  ]);
}

/** Deletes mutes that ended before the given time. */
export async function deleteEndedMutes(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from mutes where ends_at <= $1", [before]);
}

export async function countMutes(db: Database, accountId: string, now: Date): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    db,
    "select count(*)::int as count from mutes where account_id = $1 and ends_at > $2",
    [accountId, now],
  );
  return row?.count ?? 0;
}

export async function listGroupIds(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await runSql<{ id: number }>(
    db,
    "select id from group_labels where account_id = $1 and id = any($2::int[])",
    [accountId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Makes a tick of checks due now, so that the decider observes the beginning or end of their mute.
 * Only checks with a problem are affected. The rows are locked in id order, as for alert decisions,
 * to avoid deadlocks.
 */
export async function wakeMutedStates(
  db: Database,
  accountId: string,
  { targets, now }: { readonly targets: readonly MuteTarget[]; readonly now: Date },
): Promise<void> {
  await runSql(
    db,
    `with affected as materialized (
        select s.check_id from alert_states s
        where s.account_id = $1
          and (s.state ->> 'phase' <> 'calm' or s.state ->> 'alertedKind' is not null)
          and ($2 or s.check_id = any($3::uuid[]) or exists (select 1 from checks_with_group one
            where one.id = s.check_id
              and (one.group_id = any($4::int[]) or one.tags && $5::text[])))
        order by s.check_id for update of s)
      update alert_states s set next_tick_at = least(s.next_tick_at, $6)
      from affected where s.check_id = affected.check_id`,
    [
      accountId,
      targets.some(({ type }) => type === "ACCOUNT"),
      targets.flatMap(({ checkId }) => checkId ?? []),
      targets.flatMap(({ groupId }) => groupId ?? []),
      targets.flatMap(({ tag }) => tag ?? []),
      now,
    ],
  );
}
