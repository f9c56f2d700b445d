/** Host names that owners bring for their pages; each leads to one page, over all accounts. */
import type { Database } from "../../platform/database.ts";
import { conflict } from "../../platform/errors.ts";
import type { PageKind, PageReference } from "./page-reference.ts";

type DomainTables = {
  page_domains: { domain: string; account_id: string; page_kind: PageKind; page_id: string };
};

const tables = (db: Database) => db.withTables<DomainTables>();

/**
 * From now on the name leads to this page, in the place of the one it had before. Whoever asks for
 * a name that is being taken waits, and is then told that it is taken.
 */
export async function claimDomain(
  db: Database,
  accountId: string,
  claim: PageReference & { readonly domain: string },
): Promise<void> {
  const { domain, pageKind, pageId } = claim;
  const held = await tables(db)
    .selectFrom("page_domains")
    .select("domain")
    .where("page_kind", "=", pageKind)
    .where("page_id", "=", pageId)
    .executeTakeFirst();
  if (held?.domain === domain) return;
  await releaseDomain(db, accountId, claim);
  const row = await tables(db)
    .insertInto("page_domains")
    .values({ domain, account_id: accountId, page_kind: pageKind, page_id: pageId })
    .onConflict((taken) => taken.doNothing())
    .returning("domain")
    .executeTakeFirst();
  if (row === undefined) throw conflict(`customDomain ${domain} is taken`);
}

export async function releaseDomain(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await tables(db)
    .deleteFrom("page_domains")
    .where("account_id", "=", accountId)
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .execute();
}

export interface DomainOwner extends PageReference {
  readonly accountId: string;
}

export async function findDomainOwner(db: Database, domain: string): Promise<DomainOwner | null> {
  const row = await tables(db)
    .selectFrom("page_domains")
    .select(["account_id", "page_kind", "page_id"])
    .where("domain", "=", domain.toLowerCase())
    .executeTakeFirst();
  if (row === undefined) return null;
  return { accountId: row.account_id, pageKind: row.page_kind, pageId: row.page_id };
}
