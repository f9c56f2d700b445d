import { sql } from "kysely";
import { type Database, lockName, runPrepared } from "../../../platform/database.ts";
import type { PageReference } from "../page-names.ts";
import type { DomainClaim } from "./domain-claim.ts";

/** Maximum number of claims that are decided at once. */
const maxClaimsOfDomain = 1_000;

/** Returns false if another page of the account already has the domain. */
export async function claimDomain(
  db: Database,
  accountId: string,
  claim: PageReference & { readonly domain: string; readonly at: Date },
): Promise<boolean> {
  const { rows } = await sql`insert into page_domains
      (page_kind, page_id, account_id, domain, claimed_at, next_look_at)
    values (${claim.pageKind}, ${claim.pageId}, ${accountId}, ${claim.domain}, ${claim.at},
      ${claim.at})
    on conflict do nothing returning domain`.execute(db);
  return rows.length > 0;
}

export async function findClaimedDomain(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<string | null> {
  const { rows } = await sql<{ domain: string }>`select domain from page_domains
    where account_id = ${accountId} and page_kind = ${page.pageKind}
      and page_id = ${page.pageId}`.execute(db);
  return rows[0]?.domain ?? null;
}

export async function releaseDomain(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await sql`delete from page_domains where account_id = ${accountId}
    and page_kind = ${page.pageKind} and page_id = ${page.pageId}`.execute(db);
}

const claimColumns = sql`d.page_kind as "pageKind", d.page_id as "pageId",
  d.account_id as "accountId", d.domain, d.claimed_at as "claimedAt", d.proof,
  d.proved_at as "provedAt", d.missing_since as "missingSince", d.looked_at as "lookedAt",
  d.vain_looks as "vainLooks", d.outcome, d.is_txt_seen as "isTxtSeen",
  d.is_cname_seen as "isCnameSeen", d.found, d.next_look_at as "nextLookAt",
  n.page_id is not null as "isServed"`;
const namesOfClaims = sql`left join page_names as n on n.kind = 'domain'
  and n.page_kind = d.page_kind and n.page_id = d.page_id and n.name = d.domain`;

export interface FoundClaim {
  readonly claim: DomainClaim;
  /** True if another page is served under the name. */
  readonly isTaken: boolean;
}

export async function findDomainClaim(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<FoundClaim | null> {
  const { rows } = await sql<DomainClaim & { isTaken: boolean }>`select ${claimColumns},
      n.page_id is null and exists (select 1 from page_names as other
        where other.name = d.domain and other.kind = 'domain') as "isTaken"
    from page_domains as d ${namesOfClaims}
    where d.account_id = ${accountId} and d.page_kind = ${page.pageKind}
      and d.page_id = ${page.pageId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { isTaken, ...claim } = row;
  return { claim, isTaken };
}

/** Claims of all accounts, oldest first. Locks them until the transaction ends. */
export async function lockClaimsOf(db: Database, domain: string): Promise<DomainClaim[]> {
  await lockName(db, `domain ${domain}`);
  const { rows } = await sql<DomainClaim>`select ${claimColumns} from page_domains as d
    ${namesOfClaims} where d.domain = ${domain}
    order by d.claimed_at, d.page_id limit ${maxClaimsOfDomain} for update of d`.execute(db);
  return rows;
}

/** In the transaction that locked them; releases the name before it is assigned. */
export async function saveClaims(
  db: Database,
  before: readonly DomainClaim[],
  after: readonly DomainClaim[],
): Promise<void> {
  for (const [index, claim] of after.entries()) {
    if (!claim.isServed && before[index]?.isServed) {
      await sql`delete from page_names where kind = 'domain' and page_kind = ${claim.pageKind}
        and page_id = ${claim.pageId}`.execute(db);
    }
  }
  for (const [index, claim] of after.entries()) {
    await sql`update page_domains set proof = ${claim.proof}, proved_at = ${claim.provedAt},
        missing_since = ${claim.missingSince}, looked_at = ${claim.lookedAt},
        vain_looks = ${claim.vainLooks}, outcome = ${claim.outcome},
        is_txt_seen = ${claim.isTxtSeen}, is_cname_seen = ${claim.isCnameSeen},
        found = ${claim.found}, next_look_at = ${claim.nextLookAt}
      where page_kind = ${claim.pageKind} and page_id = ${claim.pageId}`.execute(db);
    if (claim.isServed && !before[index]?.isServed) {
      await sql`insert into page_names (name, kind, account_id, page_kind, page_id)
        values (${claim.domain}, 'domain', ${claim.accountId}, ${claim.pageKind},
          ${claim.pageId})`.execute(db);
    }
  }
}

/** Claims due domains of all accounts until the lease ends. */
export async function takeDueDomains(
  db: Database,
  query: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await runPrepared<{ domain: string }>(db, {
    name: "take-due-domains",
    text: `with due as (select page_kind, page_id from page_domains where next_look_at <= $1
        order by next_look_at limit $3 for update skip locked)
      update page_domains as d set next_look_at = $2 from due
      where d.page_kind = due.page_kind and d.page_id = due.page_id returning d.domain`,
    values: [query.now, query.until, query.limit],
  });
  return [...new Set(rows.map(({ domain }) => domain))];
}
