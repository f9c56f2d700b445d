import { type Database, lockName, runPrepared, runSql } from "../../../platform/database.ts";
import type { PageReference } from "../page-names.ts";
import type { DomainClaim } from "./domain-claim.ts";

/** Maximum number of claims of one domain that are decided together. */
const maxClaimsOfDomain = 1_000;

/** Inserts a claim; returns false if another page of the account already claims the domain. */
export async function claimDomain(
  db: Database,
  accountId: string,
  claim: PageReference & { readonly domain: string; readonly at: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into page_domains
        (page_kind, page_id, account_id, domain, claimed_at, next_look_at)
      values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning domain`,
    [claim.pageKind, claim.pageId, accountId, claim.domain, claim.at],
  );
  return rows.length > 0;
}

export async function findClaimedDomain(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<string | null> {
  const rows = await runSql<{ domain: string }>(
    db,
    "select domain from page_domains where account_id = $1 and page_kind = $2 and page_id = $3",
    [accountId, page.pageKind, page.pageId],
  );
  return rows[0]?.domain ?? null;
}

export async function releaseDomain(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await runSql(
    db,
    "delete from page_domains where account_id = $1 and page_kind = $2 and page_id = $3",
    [accountId, page.pageKind, page.pageId],
  );
}

const claimColumns = `d.page_kind as "pageKind", d.page_id as "pageId",
  d.account_id as "accountId", d.domain, d.claimed_at as "claimedAt", d.proof,
  d.proved_at as "provedAt", d.missing_since as "missingSince", d.looked_at as "lookedAt",
  d.vain_looks as "vainLooks", d.outcome, d.is_txt_seen as "isTxtSeen",
  d.is_cname_seen as "isCnameSeen", d.found, d.next_look_at as "nextLookAt",
  n.page_id is not null as "isServed"`;
const namesOfClaims = `left join page_names as n on n.kind = 'domain'
  and n.page_kind = d.page_kind and n.page_id = d.page_id and n.name = d.domain`;

interface FoundClaim {
  readonly claim: DomainClaim;
  /** True if the domain is served for another page. */
  readonly isTaken: boolean;
}

export async function findDomainClaim(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<FoundClaim | null> {
  const [row] = await runSql<DomainClaim & { isTaken: boolean }>(
    db,
    `select ${claimColumns}, n.page_id is null and exists (select 1 from page_names as other
          where other.name = d.domain and other.kind = 'domain') as "isTaken"
      from page_domains as d ${namesOfClaims}
      where d.account_id = $1 and d.page_kind = $2 and d.page_id = $3`,
    [accountId, page.pageKind, page.pageId],
  );
  if (row === undefined) return null;
  const { isTaken, ...claim } = row;
  return { claim, isTaken };
}

/** Lists a domain's claims of all accounts, oldest first, locked until the transaction ends. */
export async function lockClaimsOf(db: Database, domain: string): Promise<DomainClaim[]> {
  await lockName(db, `domain ${domain}`);
  return runSql<DomainClaim>(
    db,
    `select ${claimColumns} from page_domains as d ${namesOfClaims} where d.domain = $1
      order by d.claimed_at, d.page_id limit $2 for update of d`,
    [domain, maxClaimsOfDomain],
  );
}

/** Saves locked claims. A domain is taken away from one page before another page gets it. */
export async function saveClaims(
  db: Database,
  before: readonly DomainClaim[],
  after: readonly DomainClaim[],
): Promise<void> {
  for (const [index, claim] of after.entries()) {
    if (!claim.isServed && before[index]?.isServed) {
      await runSql(
        db,
        "delete from page_names where kind = 'domain' and page_kind = $1 and page_id = $2",
        [claim.pageKind, claim.pageId],
      );
    }
  }
  for (const [index, claim] of after.entries()) {
    await runSql(
      db,
      `update page_domains set proof = $1, proved_at = $2, missing_since = $3, looked_at = $4,
          vain_looks = $5, outcome = $6, is_txt_seen = $7, is_cname_seen = $8,
          found = $9, next_look_at = $10
        where page_kind = $11 and page_id = $12`,
      [
        claim.proof,
        claim.provedAt,
        claim.missingSince,
        claim.lookedAt,
        claim.vainLooks,
        claim.outcome,
        claim.isTxtSeen,
        claim.isCnameSeen,
        claim.found,
        claim.nextLookAt,
        claim.pageKind,
        claim.pageId,
      ],
    );
    if (claim.isServed && !before[index]?.isServed) {
      await runSql(
        db,
        `insert into page_names (name, kind, account_id, page_kind, page_id)
          values ($1, 'domain', $2, $3, $4)`,
        [claim.domain, claim.accountId, claim.pageKind, claim.pageId],
      );
    }
  }
}

/**
 * Reserves due domains of all accounts for this server. No other server can reserve the same
 * domains until `until` is reached or this server has saved the result of the verification.
 */
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
