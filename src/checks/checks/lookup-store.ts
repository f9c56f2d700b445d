/** Queries for other modules, which must not access the tables of this module directly. */
import { allKinds, type CheckType, isCheckType, kinds } from "../../kinds/index.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { PlaceUses } from "../locations/index.ts";
import { type CheckSettings, targetOf } from "./check-settings.ts";
import type { StoredCheck } from "./store.ts";

/** Lists the keys of uploaded code and snapshots that the account's checks use. */
export async function listUsedBundles(db: Database, accountId: string): Promise<string[]> {
  const coded = allKinds.flatMap(({ type, code }) => (code ? [{ type, path: code.path }] : []));
  const rows = await runSql<{ key: string }>(
    db,
    `select distinct found #>> '{}' as key
      from checks join unnest($2::text[], $3::text[]) as coded (type, path) on kind = type
        cross join jsonb_path_query(settings, path::jsonpath) as found
      where account_id = $1 and jsonb_typeof(found) = 'string'`,
    [accountId, coded.map(({ type }) => type), coded.map(({ path }) => path)],
  );
  return rows.map(({ key }) => key);
}

const usesPlace = "settings -> 'privateLocations' ? $2";

/** Counts the checks and groups that use a private location. */
async function countPlaceUses(
  db: Database,
  accountId: string,
  slugName: string,
): Promise<PlaceUses> {
  const [uses] = await runSql<PlaceUses>(
    db,
    `select
      (select count(*)::int from checks where account_id = $1 and ${usesPlace}) as checks,
      (select count(*)::int from check_groups where account_id = $1 and ${usesPlace}) as groups`,
    [accountId, slugName],
  );
  return uses ?? { checks: 0, groups: 0 };
}

/** Renames a private location in every check and group, without creating duplicates. */
async function renamePlace(
  db: Database,
  accountId: string,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: Date },
): Promise<void> {
  const renamed = `jsonb_set(settings, '{privateLocations}', (
    select jsonb_agg(slug order by place) from (
      select case when slug = $2 then $3 else slug end as slug, min(place) as place
      from jsonb_array_elements_text(settings -> 'privateLocations')
        with ordinality as named (slug, place)
      group by 1) as unique_slugs))`;
  for (const table of ["checks", "check_groups"]) {
    await runSql(
      db,
      `update ${table} set settings = ${renamed}, updated_at = $4
        where account_id = $1 and ${usesPlace}`,
      [accountId, from, to, at],
    );
  }
}

/** Lists the names of checks and groups whose own alert settings refer to the escalation policy. */
export async function listPolicyUsers(
  db: Database,
  accountId: string,
  policyId: string,
): Promise<{ readonly checkNames: string[]; readonly groupNames: string[] }> {
  const uses = "lower(settings #>> '{alertSettings,escalationPolicyId}') = $2";
  const list = async (table: string) => {
    const text = `select name from ${table} where account_id = $1 and ${uses} order by name, id`;
    const rows = await runSql<{ name: string }>(db, text, [accountId, policyId.toLowerCase()]);
    return rows.map(({ name }) => name);
  };
  return { checkNames: await list("checks"), groupNames: await list("check_groups") };
}

export interface CheckPolicy {
  readonly checkId: string;
  readonly groupId: number | null;
  /** Id of the escalation policy of the check or else of its group; `null` if none. */
  readonly policyId: string | null;
  /** Whether the check is failing or degraded. */
  readonly isTroubled: boolean;
}

/** Lists all checks of an account with the escalation policies that they select. */
export function listCheckPolicies(db: Database, accountId: string): Promise<CheckPolicy[]> {
  const path = "#>> '{alertSettings,escalationPolicyId}'";
  return runPrepared(db, {
    name: "list-check-policies",
    text: `select c.id as "checkId", c.group_id as "groupId",
        lower(coalesce(c.settings ${path}, g.settings ${path})) as "policyId",
        c.status in ('failing', 'degraded') as "isTroubled"
      from checks c left join check_groups g on g.id = c.group_id where c.account_id = $1`,
    values: [accountId],
  });
}

/** Returns the id of the escalation policy of a check or else of its group; `null` if none. */
export async function findCheckPolicyId(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<string | null> {
  const path = "#>> '{alertSettings,escalationPolicyId}'";
  const [row] = await runSql<{ id: string | null }>(
    db,
    `select coalesce(c.settings ${path}, g.settings ${path}) as id
      from checks c left join check_groups g on g.id = c.group_id
      where c.id = $1 and c.account_id = $2`,
    [checkId, accountId],
  );
  return row?.id ?? null;
}

/** Queries on checks that the `locations` module needs. */
export const checksOfPlaces = { countUses: countPlaceUses, rename: renamePlace } as const;

/**
 * Lists the activated checks that run at a location. Checks of all accounts are listed if
 * `accountId` is `null`, which is meant for public locations.
 */
export async function listChecksAtPlace(
  db: Database,
  {
    accountId,
    place,
    limit,
  }: {
    readonly accountId: string | null;
    readonly place: string;
    readonly limit: number;
  },
): Promise<{ readonly checkId: string; readonly accountId: string }[]> {
  return runSql(
    db,
    `select c.id as "checkId", c.account_id as "accountId"
      from checks c left join check_groups g on g.id = c.group_id
      where ($1::uuid is null or c.account_id = $1) and c.is_activated
        and (g.id is null or coalesce(g.settings -> 'activated' = 'true', true))
        and case when jsonb_array_length(g.places) > 0 then g.places ? $2 else c.places ? $2 end
      order by c.id limit $3`,
    [accountId, place, limit],
  );
}

/** Finds a check that opens incidents for the service. Uses the index `checks_trigger_service`. */
export async function findCheckThatTriggers(
  db: Database,
  accountId: string,
  serviceId: string,
): Promise<{ readonly id: string; readonly name: string } | null> {
  const [row] = await runSql<{ id: string; name: string }>(
    db,
    `select id, name from checks
      where account_id = $1 and settings -> 'triggerIncident' ->> 'serviceId' = $2
      order by id limit 1`,
    [accountId, serviceId],
  );
  return row ?? null;
}

/** Finds a check of a kind by fields of its settings. Slow: reads all checks of the kind. */
export async function findCheckByFields(
  db: Database,
  accountId: string,
  { type, fields }: { readonly type: CheckType; readonly fields: object },
): Promise<string | null> {
  const [row] = await runSql<{ id: string }>(
    db,
    `select id from checks where account_id = $1 and kind = $2 and settings @> $3::jsonb
      order by id limit 1`,
    [accountId, type, JSON.stringify(fields)],
  );
  return row?.id ?? null;
}

/**
 * Returns the certificate domain of each check that has one configured. Such a check sends alerts
 * only for the certificate of this domain.
 */
export async function mapCertificateDomains(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared<{ id: string; domain: string }>(db, {
    name: "map-certificate-domains",
    text: `select id, lower(trim(private_settings ->> 'sslCheckDomain')) as domain from checks
      where id = any($1::uuid[]) and trim(private_settings ->> 'sslCheckDomain') <> ''`,
    values: [checkIds],
  });
  return new Map(rows.map(({ id, domain }) => [id, domain]));
}

/**
 * Lists at most `maxValues` encrypted variable values of the newest checks and groups of all
 * accounts. The values serve to verify the encryption key.
 */
export async function listSealedInChecks(db: Database, maxValues: number): Promise<string[]> {
  const rows = await runSql<{ sealed: string }>(
    db,
    `select variable ->> 'value' as sealed
      from ((select id::text as id, variables from checks where variables <> '[]'
          order by checks.id desc limit $1)
        union all (select id::text as id, variables from check_groups where variables <> '[]'
          order by check_groups.id desc limit $1)) as holders,
        jsonb_path_query(variables, '$[*] ? (@.isSealed == true)') as variable limit $1`,
    [maxValues],
  );
  return rows.map(({ sealed }) => sealed);
}

const batchSize = 500;

function writeTarget(kind: string, settings: CheckSettings): string {
  try {
    return isCheckType(kind) ? targetOf(kinds[kind], settings) : "";
  } catch {
    // A check with unreadable settings cannot run anyway. It must not prevent a server start.
    return "";
  }
}

/** Fills the column `target` of checks that were stored before the column existed. */
export async function fillMissingTargets(db: Database): Promise<void> {
  let count = batchSize;
  while (count === batchSize) {
    const rows = await runSql<{ id: string; kind: string; settings: CheckSettings }>(
      db,
      "select id, kind, settings from checks where target is null order by id limit $1",
      [batchSize],
    );
    count = rows.length;
    await runSql(
      db,
      `update checks set target = found.target
        from unnest($1::uuid[], $2::text[]) as found (id, target)
        where checks.id = found.id and checks.target is null`,
      [rows.map(({ id }) => id), rows.map(({ kind, settings }) => writeTarget(kind, settings))],
    );
  }
}

/** Returns the account's checks among the given ids, including their private settings. */
export async function listStoredChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<StoredCheck[]> {
  return runPrepared<StoredCheck>(db, {
    name: "list-stored-checks",
    text: `select id, kind, settings, variables, status, created_at as "createdAt",
        updated_at as "updatedAt", private_settings as "privateSettings"
      from checks where account_id = $1 and id = any($2::uuid[])`,
    values: [accountId, ids],
  });
}

/** Returns whether a check or group of the account runs the snippet or may import it by name. */
export async function isSnippetUsed(
  db: Database,
  accountId: string,
  { id, names }: { readonly id: number | null; readonly names: readonly string[] },
): Promise<boolean> {
  const uses = `account_id = $1 and (settings ->> 'setupSnippetId' = $2
    or settings ->> 'tearDownSnippetId' = $2 or (position('snippets/' in settings::text) > 0
      and exists (select from unnest($3::text[]) as wanted (word)
        where position(wanted.word in settings::text) > 0)))`;
  const text = `select 1 where exists (select from checks where ${uses})
    or exists (select from check_groups where ${uses})`;
  return (await runSql(db, text, [accountId, id === null ? null : String(id), names])).length > 0;
}
