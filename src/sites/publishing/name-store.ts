import { type Database, runSql } from "../../platform/database.ts";
import { isDeadlock } from "../../platform/database-errors.ts";
import { conflict, taken } from "../../platform/errors.ts";
import { claimDomain, findClaimedDomain, releaseDomain } from "./domains/domain-store.ts";
import { deletePageImages } from "./images/image-store.ts";
import { deletePageKeys } from "./keys/key-store.ts";
import type { PageKind, PageReference } from "./page-names.ts";

/** Maximum number of pages to list for the host map, which limits its memory. */
const maxNamedPages = 200_000;

/**
 * Kinds of page names. A label is part of a URL on this server's host. A domain is a custom host
 * name. A dashboard can be found by its id as well as by its label.
 */
type NameKind = "id" | "label" | "domain";

interface NameClaim extends PageReference {
  /** Label as typed; labels are compared in lower case. */
  readonly label: string | null;
  /** API field that contains the label, for error messages. */
  readonly labelField: string;
  readonly domain: string | null;
  /** Whether a domain is served only after its ownership has been proved. */
  readonly isProofRequired: boolean;
  readonly at: Date;
}

function listClaimedNames({ pageKind, pageId, label, labelField }: NameClaim) {
  return [
    { kind: "id", name: pageKind === "dashboard" ? pageId : null, field: "id", value: pageId },
    {
      kind: "label",
      name: label?.toLowerCase() ?? null,
      field: labelField,
      value: label ?? "",
    },
  ] as const;
}

async function listHeldNames(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<Map<NameKind, string>> {
  const rows = await runSql<{ kind: NameKind; name: string }>(
    db,
    `select kind, name from page_names
      where account_id = $1 and page_kind = $2 and page_id = $3`,
    [accountId, page.pageKind, page.pageId],
  );
  return new Map(rows.map(({ kind, name }) => [kind, name]));
}

interface ClaimedName {
  readonly kind: NameKind;
  readonly name: string;
  /** API field in which the name was sent, for error messages. */
  readonly field: string;
  readonly value: string;
}

async function insertName(
  db: Database,
  accountId: string,
  { kind, name, field, value, ...page }: PageReference & ClaimedName,
): Promise<void> {
  const rows = await runSql(
    db,
    `insert into page_names (name, kind, account_id, page_kind, page_id)
      values ($1, $2, $3, $4, $5) on conflict do nothing returning 1`,
    [name, kind, accountId, page.pageKind, page.pageId],
  );
  if (rows.length === 0) throw taken(field, value);
}

async function replaceNames(db: Database, accountId: string, claim: NameClaim): Promise<void> {
  const { pageKind, pageId } = claim;
  const held = await listHeldNames(db, accountId, claim);
  for (const { name, ...claimed } of listClaimedNames(claim)) {
    const { kind } = claimed;
    if (name === (held.get(kind) ?? null)) continue;
    await releaseNames(db, accountId, { ...claim, kind });
    if (name !== null) await insertName(db, accountId, { pageKind, pageId, name, ...claimed });
  }
  await replaceDomain(db, accountId, claim);
}

/** Replaces a page's domain. The new domain is served immediately only if no proof is required. */
async function replaceDomain(db: Database, accountId: string, claim: NameClaim): Promise<void> {
  const { pageKind, pageId, domain, at, isProofRequired } = claim;
  const held = await findClaimedDomain(db, accountId, claim);
  if (held === domain) return;
  await releaseNames(db, accountId, { ...claim, kind: "domain" });
  if (domain === null) return;
  const claimed = { name: domain, field: "customDomain", value: domain };
  const isClaimed = await claimDomain(db, accountId, { pageKind, pageId, domain, at });
  if (!isClaimed) throw taken("customDomain", domain);
  if (isProofRequired) return;
  await insertName(db, accountId, { pageKind, pageId, kind: "domain", ...claimed });
}

/**
 * Replaces the names of a page within a transaction. Waits for concurrent transactions that claim
 * or release the same name, and throws a conflict if a name is taken.
 */
export async function claimNames(db: Database, accountId: string, claim: NameClaim): Promise<void> {
  try {
    await replaceNames(db, accountId, claim);
  } catch (error) {
    // Two pages claimed the names of each other concurrently, so this claim is rejected.
    if (!isDeadlock(error)) throw error;
    throw conflict(`${claim.labelField} or customDomain is taken by a concurrent change`);
  }
}

async function releaseNames(
  db: Database,
  accountId: string,
  page: PageReference & { readonly kind?: NameKind },
): Promise<void> {
  await runSql(
    db,
    `delete from page_names where account_id = $1 and page_kind = $2 and page_id = $3
      and ($4::text is null or kind = $4)`,
    [accountId, page.pageKind, page.pageId, page.kind],
  );
  if (page.kind === undefined || page.kind === "domain") await releaseDomain(db, accountId, page);
}

/** Finds a page by its label, or a dashboard by its label or id. Returns the id of the page. */
export async function findPageIdByName(
  db: Database,
  pageKind: PageKind,
  name: string,
): Promise<string | null> {
  const [row] = await runSql<{ pageId: string }>(
    db,
    `select page_id as "pageId" from page_names
      where page_kind = $1 and kind <> 'domain' and name = $2`,
    [pageKind, name.toLowerCase()],
  );
  return row?.pageId ?? null;
}

/** Returns the given labels and domains that are already in use by pages of any account. */
export async function listTakenNames(
  db: Database,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await runSql<{ name: string }>(
    db,
    "select name from page_names where kind <> 'id' and name = any($1::text[])",
    [names],
  );
  return new Set(rows.map(({ name }) => name));
}

export interface NamedPage extends PageReference {
  readonly label: string | null;
  readonly domain: string | null;
}

/** Lists the pages of all accounts that have a label or a domain. */
export async function listNamedPages(db: Database): Promise<NamedPage[]> {
  return runSql<NamedPage>(
    db,
    `select page_kind as "pageKind", page_id as "pageId",
        max(name) filter (where kind = 'label') as label,
        max(name) filter (where kind = 'domain') as domain
      from page_names where kind <> 'id'
      group by page_kind, page_id order by page_kind, page_id limit $1`,
    [maxNamedPages],
  );
}

/** Deletes the names, keys and images of a page, in the transaction that deletes the page. */
export async function forgetPage(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await releaseNames(db, accountId, page);
  await deletePageKeys(db, accountId, page);
  await deletePageImages(db, accountId, page);
}
