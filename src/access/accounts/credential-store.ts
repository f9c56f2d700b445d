/** Storage of credentials: API keys, sessions, spent challenges and known sign-in networks. */
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { AddressKey } from "../../platform/ip-address.ts";
import type { Credential } from "./caller.ts";

interface RememberedRequest {
  readonly operation: string;
  readonly bodyHash: Buffer;
  readonly targetId: string;
}

/**
 * Stores an idempotency key. Waits for a concurrent insert of the same key. Returns `false` if the
 * key is already stored.
 */
export async function insertIdempotencyKey(
  db: Database,
  accountId: string,
  request: RememberedRequest & { readonly key: string; readonly at: Date },
): Promise<boolean> {
  const { key, operation, bodyHash, targetId, at } = request;
  const rows = await runSql(
    db,
    `insert into idempotency_keys (account_id, key, operation, body_hash, target_id, created_at)
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [accountId, key, operation, bodyHash, targetId, at],
  );
  return rows.length > 0;
}

export async function findIdempotencyKey(
  db: Database,
  accountId: string,
  key: string,
): Promise<RememberedRequest | null> {
  const [row] = await runSql<RememberedRequest>(
    db,
    `select operation, body_hash as "bodyHash", target_id as "targetId" from idempotency_keys
      where account_id = $1 and key = $2`,
    [accountId, key],
  );
  return row ?? null;
}

/** Stores the idempotency keys of several objects that were created by one request. */
export async function rememberTargets(
  db: Database,
  accountId: string,
  request: {
    readonly operation: string;
    readonly created: readonly { readonly key: string; readonly targetId: string }[];
    readonly at: Date;
  },
): Promise<void> {
  const { operation, created, at } = request;
  const text = `insert into idempotency_keys
      (account_id, key, operation, body_hash, target_id, created_at)
    select $1, made.key, $2, '', made.target_id, $3
    from unnest($4::text[], $5::text[]) as made (key, target_id)`;
  const keys = created.map(({ key }) => key);
  const targetIds = created.map(({ targetId }) => targetId);
  await runSql(db, text, [accountId, operation, at, keys, targetIds]);
}

/** Maps keys that `rememberTargets` stored to the ids of the created objects. */
export async function listRememberedTargets(
  db: Database,
  accountId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const text = `select key, target_id as "targetId" from idempotency_keys
    where account_id = $1 and key = any($2::text[])`;
  const rows = await runSql<{ key: string; targetId: string }>(db, text, [accountId, keys]);
  return new Map(rows.map(({ key, targetId }) => [key, targetId]));
}

export async function deleteIdempotencyKeysBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from idempotency_keys where created_at < $1", [before]);
}

const hasFactor = (userId: string) => `(
  exists (select from totp_secrets t where t.user_id = ${userId})
  or exists (select from passkeys p where p.user_id = ${userId}))`;

/**
 * The statements are prepared, because one of them runs for each credential that is not in the
 * cache.
 */
const findByKey = {
  name: "find-credential-by-key",
  text: `
    select 'API_KEY' as type, k.id, k.user_id as "userId",
      k.name || ' …' || k.last_four as label, k.account_id as "homeAccountId",
      k.role as "roleLimit", k.expires_at as "expiresAt",
      case when k.user_id is null then jsonb_build_object(k.account_id, k.role)
        -- A user key does not open another account that requires a second factor the user lacks.
        else coalesce((select jsonb_object_agg(m.account_id, m.role)
          from members m join accounts a on a.id = m.account_id
          where m.user_id = k.user_id and (m.account_id = k.account_id
            or not a.requires_second_factor or ${hasFactor("k.user_id")})), '{}') end as roles,
      '{}'::text[] as "accountsRequiringSecondFactor"
    from api_keys k where k.key_hash = $1`,
};

const findByToken = {
  name: "find-credential-by-token",
  text: `
    select 'SESSION' as type, s.id, s.user_id as "userId", u.email as label,
      (select m.account_id from members m where m.user_id = s.user_id
        order by m.created_at, m.account_id limit 1) as "homeAccountId",
      null as "roleLimit", s.expires_at as "expiresAt",
      coalesce((select jsonb_object_agg(m.account_id, m.role)
        from members m where m.user_id = s.user_id), '{}') as roles,
      case when s.second_factor is not null or ${hasFactor("s.user_id")} then '{}'
        else array(select a.id::text from members m join accounts a on a.id = m.account_id
          where m.user_id = s.user_id and a.requires_second_factor) end
        as "accountsRequiringSecondFactor"
    from sessions s join users u on u.id = s.user_id where s.token_hash = $1`,
};

export async function findCredential(
  db: Database,
  type: Credential["type"],
  hash: Buffer,
): Promise<Credential | null> {
  const statement = type === "API_KEY" ? findByKey : findByToken;
  type Row = Omit<Credential, "accountIds">;
  const [found] = await runPrepared<Row>(db, { ...statement, values: [hash] });
  return found === undefined ? null : { ...found, accountIds: Object.keys(found.roles) };
}

interface LastUse {
  readonly id: string;
  readonly atMs: number;
  readonly address: string | null;
}

/** Stores times of last use, unless another server has already stored a later time. */
export async function saveLastUses(db: Database, some: readonly LastUse[]): Promise<void> {
  // Sorted by id, so that two servers cannot deadlock.
  const uses = some.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const ids = uses.map((use) => use.id);
  const times = uses.map((use) => new Date(use.atMs));
  const addresses = uses.map((use) => use.address);
  await runSql(
    db,
    `update api_keys set last_used_at = use.at, last_used_address = use.address
     from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as use (id, at, address)
     where api_keys.id = use.id
       and (api_keys.last_used_at is null or api_keys.last_used_at < use.at)`,
    [ids, times, addresses],
  );
  await runSql(
    db,
    `update sessions set last_used_at = use.at
     from unnest($1::uuid[], $2::timestamptz[]) as use (id, at)
     where sessions.id = use.id
       and (sessions.last_used_at is null or sessions.last_used_at < use.at)`,
    [ids, times],
  );
}

/** Marks a challenge as spent. Returns `false` if the challenge was already spent. */
export async function insertSpentChallenge(
  db: Database,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into spent_challenges (id, expires_at) values ($1, $2)
      on conflict do nothing returning 1`,
    [id, expiresAt],
  );
  return rows.length > 0;
}

export async function deleteExpiredChallenges(db: Database, now: Date): Promise<void> {
  await runSql(db, "delete from spent_challenges where expires_at <= $1", [now]);
}

const maxNetworksPerUser = 20;

/**
 * Returns whether a user has signed in from this network before. The query is the same for known
 * and unknown email addresses, so that its timing reveals nothing.
 */
export async function isFamiliarNetwork(
  db: Database,
  email: string,
  network: AddressKey,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `select from sign_in_networks n join users u on u.id = n.user_id
      where lower(u.email) = lower($1) and n.network = $2`,
    [email, network],
  );
  return rows.length > 0;
}

export async function saveNetwork(
  db: Database,
  userId: string,
  sighting: { readonly network: AddressKey; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `insert into sign_in_networks (user_id, network, last_sign_in_at) values ($1, $2, $3)
      on conflict (user_id, network) do update set last_sign_in_at = excluded.last_sign_in_at`,
    [userId, sighting.network, sighting.at],
  );
  await runSql(
    db,
    `delete from sign_in_networks where user_id = $1 and network not in (
      select network from sign_in_networks where user_id = $1
      order by last_sign_in_at desc, network limit $2)`,
    [userId, maxNetworksPerUser],
  );
}

/** Number of removed credentials, by type. */
interface RemovedCredentials {
  readonly apiKeys: number;
  readonly sessions: number;
  readonly authenticatorApps: number;
  readonly passkeys: number;
}

/**
 * Removes all credentials of a user except the password: keys, sessions, links, second factors and
 * linked identities. Also removes the known networks of earlier sign-ins.
 */
export async function deleteCredentialsOf(
  db: Database,
  userId: string,
): Promise<RemovedCredentials> {
  const deleteFrom = async (table: string) => {
    const text = `delete from ${table} where user_id = $1 returning 1`;
    return (await runSql(db, text, [userId])).length;
  };
  const removed = {
    apiKeys: await deleteFrom("api_keys"),
    sessions: await deleteFrom("sessions"),
    authenticatorApps: await deleteFrom("totp_secrets"),
    passkeys: await deleteFrom("passkeys"),
  };
  const others = ["recovery_codes", "sign_in_links", "sign_in_networks", "email_changes"];
  for (const table of [...others, "oidc_identities"]) await deleteFrom(table);
  return removed;
}
