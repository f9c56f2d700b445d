import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { Credential } from "./caller.ts";

const hasFactor = (userId: string) => `(
  exists (select from totp_secrets t where t.user_id = ${userId})
  or exists (select from passkeys p where p.user_id = ${userId}))`;

/** Prepared statements, because one runs whenever a key or session is seen for the first time. */
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

export interface LastUse {
  readonly id: string;
  readonly atMs: number;
  readonly address: string | null;
}

/** Stores last-use times, unless another server has stored a later one. */
export async function saveLastUses(db: Database, some: readonly LastUse[]): Promise<void> {
  // Sorted, so that two servers cannot deadlock.
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
