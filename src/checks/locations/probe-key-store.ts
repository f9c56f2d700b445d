import { randomBytes, randomUUIDv7 } from "node:crypto";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { hashSecret } from "../../platform/secrets.ts";

/** A stored probe key, without its secret text. */
export interface ProbeKey {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A new probe key. Its text is available only when the key is created. */
export interface NewProbeKey {
  readonly id: string;
  readonly text: string;
  readonly createdAt: Date;
}

/** Location of a key: exactly one private location or one public region. */
export type KeyPlace = { readonly privateLocationId: string } | { readonly region: string };

/** What a probe key permits: receiving the orders of a route and returning results for them. */
export interface AdmittedKey {
  readonly keyId: string;
  /** Public region, or id of the private location. */
  readonly route: string;
  /** Name of the location: the public region, or the slug of the private location. */
  readonly location: string;
  /** Account of the private location; `null` for a public region, which all accounts share. */
  readonly accountId: string | null;
}

export function createKeyText(place: KeyPlace): string {
  const prefix = "region" in place ? "vp" : "pl";
  return `${prefix}_${randomBytes(16).toString("hex")}`;
}

/** Whether a text has the format of a probe key. A text in another format needs no query. */
function looksLikeProbeKey(text: string): boolean {
  return /^(?:pl|vp)_[0-9a-f]{32}$/.test(text);
}

const columns = `id, last_four as "lastFour", created_at as "createdAt",
  last_used_at as "lastUsedAt"`;

export async function insertProbeKey(
  db: Database,
  place: KeyPlace,
  key: NewProbeKey,
): Promise<void> {
  const [locationId, region] =
    "region" in place ? [null, place.region] : [place.privateLocationId, null];
  await runSql(
    db,
    `insert into probe_keys (id, private_location_id, region, key_hash, last_four, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
    [key.id, locationId, region, hashSecret(key.text), key.text.slice(-4), key.createdAt],
  );
}

/** Returns what each key permits, by key text. Unknown and revoked keys are absent. */
export async function mapProbeKeys(
  db: Database,
  texts: readonly string[],
): Promise<ReadonlyMap<string, AdmittedKey>> {
  const byHash = new Map(
    texts.filter(looksLikeProbeKey).map((text) => [hashSecret(text).toString("hex"), text]),
  );
  if (byHash.size === 0) return new Map();
  const rows = await runPrepared<AdmittedKey & { readonly hash: string }>(db, {
    name: "map-probe-keys",
    text: `select k.id as "keyId", coalesce(k.region, p.id::text) as route,
        coalesce(k.region, p.slug_name) as location, p.account_id as "accountId",
        encode(k.key_hash, 'hex') as hash
      from probe_keys k left join private_locations p on p.id = k.private_location_id
      where k.key_hash in (select decode(one, 'hex') from unnest($1::text[]) as one)`,
    values: [[...byHash.keys()]],
  });
  return new Map(rows.map(({ hash, ...key }) => [byHash.get(hash) ?? "", key]));
}

export async function findProbeKey(db: Database, text: string): Promise<AdmittedKey | null> {
  return (await mapProbeKeys(db, [text])).get(text) ?? null;
}

/** Returns the hash of every key, ordered by route. NATS users are derived from these hashes. */
export function listKeyHashes(
  db: Database,
): Promise<(AdmittedKey & { readonly keyHash: Uint8Array })[]> {
  return runPrepared(db, {
    name: "list-probe-key-hashes",
    text: `select k.id as "keyId", coalesce(k.region, p.id::text) as route,
        coalesce(k.region, p.slug_name) as location, p.account_id as "accountId",
        k.key_hash as "keyHash"
      from probe_keys k left join private_locations p on p.id = k.private_location_id
      order by route, k.id limit 100000`,
    values: [],
  });
}

export async function noteKeyUse(db: Database, keyId: string, at: Date): Promise<void> {
  await runSql(db, "update probe_keys set last_used_at = $2 where id = $1", [keyId, at]);
}

/** Returns those of the key ids that are not revoked. */
export async function listExistingKeys(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await runPrepared<{ id: string }>(db, {
    name: "list-existing-probe-keys",
    text: "select id from probe_keys where id = any($1::uuid[])",
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns the keys of each private location, oldest first, keyed by location id. */
export async function mapLocationKeys(
  db: Database,
  accountId: string,
): Promise<Map<string, ProbeKey[]>> {
  const rows = await runSql<ProbeKey & { locationId: string }>(
    db,
    `select private_location_id as "locationId", ${columns} from probe_keys
      where private_location_id in (select id from private_locations where account_id = $1)
      order by id`,
    [accountId],
  );
  return Map.groupBy(rows, ({ locationId }) => locationId);
}

export function listRegionKeys(db: Database): Promise<(ProbeKey & { readonly region: string })[]> {
  const text = `select region, ${columns} from probe_keys where region is not null
    order by region, id limit 10000`;
  return runSql(db, text);
}

/** Deletes a key. Returns `null` if the location does not have this key. */
export async function deleteProbeKey(
  db: Database,
  place: KeyPlace,
  id: string,
): Promise<ProbeKey | null> {
  const [locationId, region] =
    "region" in place ? [null, place.region] : [place.privateLocationId, null];
  const text = `delete from probe_keys where id = $1
    and (private_location_id = $2::uuid or region = $3) returning ${columns}`;
  const [row] = await runSql<ProbeKey>(db, text, [id, locationId, region]);
  return row ?? null;
}

/** Creates a key for a location and returns its text, which cannot be read again later. */
export async function createProbeKey(db: Database, place: KeyPlace, at: Date): Promise<string> {
  const text = createKeyText(place);
  await insertProbeKey(db, place, { id: randomUUIDv7(), createdAt: at, text });
  return text;
}
