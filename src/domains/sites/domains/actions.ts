import { inTransaction } from "../../../platform/database.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { type Caller, hasSeveralAccounts } from "../../accounts/index.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-names.ts";
import { type DomainClaim, decideClaims, decideWithoutProof, findOwnHost } from "./domain-claim.ts";
import { findDomainClaim, lockClaimsOf, saveClaims } from "./domain-store.ts";

/** Callers must have authorised access to the page. */
export type DomainContext = Pick<SitesContext, "db" | "clock" | "publicUrl" | "domainProof">;

export interface PageDomain {
  readonly claim: DomainClaim;
  readonly isTaken: boolean;
  readonly isProofRequired: boolean;
  /** Required target of a CNAME; `null` if a CNAME is not accepted as proof. */
  readonly cnameTarget: string | null;
}

export async function getPageDomain(
  context: DomainContext,
  caller: Caller,
  page: PageReference,
): Promise<PageDomain> {
  const found = await findDomainClaim(context.db, caller.accountId, page);
  if (found === null) throw notFound();
  const isShared = await hasSeveralAccounts(context.db);
  const isCnameProof = !isShared || found.claim.proof !== null;
  return {
    ...found,
    isProofRequired: context.domainProof.isRequired,
    cnameTarget: isCnameProof ? findOwnHost(context.publicUrl()) : null,
  };
}

/** Reads the records of a domain and decides for every page that claims it. */
export async function verifyDomain(context: DomainContext, domain: string): Promise<void> {
  const { db, domainProof } = context;
  const ownHost = findOwnHost(context.publicUrl());
  // Before the transaction, because name servers are slow and must not delay row locks.
  const sighting = domainProof.isRequired ? await domainProof.lookUp(domain, ownHost) : null;
  await inTransaction(db, async (tx) => {
    const before = await lockClaimsOf(tx, domain);
    const now = context.clock.now();
    const isShared = await hasSeveralAccounts(tx);
    const after =
      sighting === null
        ? decideWithoutProof(before, now)
        : decideClaims(before, sighting, { now, ownHost, isShared });
    await saveClaims(tx, before, after);
  });
}

export async function checkPageDomain(
  context: DomainContext,
  caller: Caller,
  page: PageReference,
): Promise<PageDomain> {
  const found = await findDomainClaim(context.db, caller.accountId, page);
  if (found === null) throw notFound();
  const { allowed, resetSeconds } = context.domainProof.verificationLimit.take(caller.accountId);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  await verifyDomain(context, found.claim.domain);
  return getPageDomain(context, caller, page);
}
