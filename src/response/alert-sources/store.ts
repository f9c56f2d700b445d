import { type Database, runPrepared, runSql } from "../../platform/database.ts";

/** An external monitor whose alert groups become checks. */
export interface AlertSource {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Id of the check group of new checks; `null` if new checks belong to no check group. */
  readonly groupId: number | null;
  /** Ids of the channels to which new checks subscribe. Some of the channels may be deleted. */
  readonly alertChannelIds: readonly number[];
  /** Number of alert groups. `firingGroups` counts only groups with firing alerts. */
  readonly groups: number;
  readonly firingGroups: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const columns = `one.id, one.account_id as "accountId", one.name, one.group_id as "groupId",
  one.alert_channel_ids as "alertChannelIds", one.created_at as "createdAt",
  one.updated_at as "updatedAt", one.last_used_at as "lastUsedAt",
  (select count(*)::int from alert_source_groups g where g.source_id = one.id) as groups,
  (select count(*)::int from alert_source_groups g where g.source_id = one.id and g.is_firing)
    as "firingGroups"`;

/** Lists the sources of an account, oldest first. The number of sources is limited per account. */
export function listSources(db: Database, accountId: string): Promise<AlertSource[]> {
  const text = `select ${columns} from alert_sources one where account_id = $1 order by id`;
  return runSql(db, text, [accountId]);
}

export async function findSource(
  db: Database,
  accountId: string,
  id: string,
): Promise<AlertSource | null> {
  const text = `select ${columns} from alert_sources one where account_id = $1 and id = $2`;
  const [row] = await runSql<AlertSource>(db, text, [accountId, id]);
  return row ?? null;
}

export async function insertSource(
  db: Database,
  accountId: string,
  source: Pick<AlertSource, "id" | "name" | "groupId" | "alertChannelIds" | "createdAt"> & {
    readonly tokenHash: Buffer;
  },
): Promise<void> {
  await runSql(
    db,
    `insert into alert_sources (id, account_id, name, group_id, token_hash, created_at,
        alert_channel_ids)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[source.id, accountId, source.name, source.groupId, source.tokenHash],
      ...[source.createdAt, source.alertChannelIds],
    ],
  );
}

/**
 * Updates a source, including its token if a new token is given. Returns false if the source does
 * not exist.
 */
export async function updateSource(
  db: Database,
  accountId: string,
  change: Pick<AlertSource, "id" | "name" | "groupId" | "alertChannelIds"> & {
    readonly tokenHash: Buffer | null;
    readonly at: Date;
  },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `update alert_sources set name = $3, group_id = $4,
        token_hash = coalesce($5, token_hash), updated_at = $6, alert_channel_ids = $7
      where account_id = $1 and id = $2 returning 1`,
    [
      ...[accountId, change.id, change.name, change.groupId, change.tokenHash, change.at],
      change.alertChannelIds,
    ],
  );
  return rows.length > 0;
}

export async function deleteSource(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from alert_sources where account_id = $1 and id = $2", [accountId, id]);
}

export type LockedSource = Pick<
  AlertSource,
  "id" | "accountId" | "name" | "groupId" | "alertChannelIds"
>;

/** Returns the id of the source with a token, without locking the source. */
export async function findSourceIdByToken(
  db: Database,
  { tokenHash }: { readonly tokenHash: Buffer },
): Promise<string | null> {
  const [row] = await runPrepared<{ id: string }>(db, {
    name: "find-alert-source-id",
    text: "select id from alert_sources where token_hash = $1",
    values: [tokenHash],
  });
  return row?.id ?? null;
}

/** Finds and locks the source with a token, so that notifications are stored one at a time. */
export async function findSourceByToken(
  db: Database,
  { tokenHash, at }: { readonly tokenHash: Buffer; readonly at: Date },
): Promise<LockedSource | null> {
  const [row] = await runPrepared<LockedSource>(db, {
    name: "lock-alert-source",
    text: `update alert_sources set last_used_at = $2 where token_hash = $1
      returning id, account_id as "accountId", name, group_id as "groupId",
        alert_channel_ids as "alertChannelIds"`,
    values: [tokenHash, at],
  });
  return row ?? null;
}

export interface SourceGroup {
  readonly checkId: string;
  readonly digest: Buffer;
  readonly receivedAt: Date;
}

/** Finds an alert group of a source by the hash of the group key. */
export async function findGroup(
  db: Database,
  accountId: string,
  { sourceId, keyHash }: { readonly sourceId: string; readonly keyHash: Buffer },
): Promise<SourceGroup | null> {
  const [row] = await runPrepared<SourceGroup>(db, {
    name: "find-alert-source-group",
    text: `select check_id as "checkId", digest, received_at as "receivedAt"
      from alert_source_groups join alert_sources one on one.id = source_id
      where account_id = $1 and source_id = $2 and key_hash = $3`,
    values: [accountId, sourceId, keyHash],
  });
  return row ?? null;
}

export async function saveGroup(
  db: Database,
  accountId: string,
  group: SourceGroup & {
    readonly sourceId: string;
    readonly keyHash: Buffer;
    readonly isFiring: boolean;
  },
): Promise<void> {
  await runPrepared(db, {
    name: "save-alert-source-group",
    text: `insert into alert_source_groups
        (source_id, key_hash, check_id, digest, is_firing, received_at)
      select id, $3, $4, $5, $6, $7 from alert_sources where account_id = $1 and id = $2
      on conflict (source_id, key_hash) do update set check_id = excluded.check_id,
        digest = excluded.digest, is_firing = excluded.is_firing,
        received_at = excluded.received_at`,
    values: [
      ...[accountId, group.sourceId, group.keyHash, group.checkId],
      ...[group.digest, group.isFiring, group.receivedAt],
    ],
  });
}

/** Lists the checks of a source: those without firing alerts first, then by last notification. */
export async function listGroupChecks(
  db: Database,
  accountId: string,
  sourceId: string,
): Promise<{ readonly checkId: string; readonly isFiring: boolean }[]> {
  return runSql(
    db,
    `select check_id as "checkId", is_firing as "isFiring" from alert_source_groups
        join alert_sources one on one.id = source_id
      where account_id = $1 and source_id = $2 order by is_firing, received_at`,
    [accountId, sourceId],
  );
}
