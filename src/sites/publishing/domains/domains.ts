import { domainToUnicode } from "node:url";
import { Type } from "typebox";
import { type Caller, hasSeveralAccounts } from "../../../access/accounts/index.ts";
import { inTransaction } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { DateTime, Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-names.ts";
import {
  createChallenge,
  type DomainClaim,
  decideClaims,
  decideWithoutProof,
  domainStatuses,
  findDomainStatus,
  findOwnHost,
  graceMs,
  nameChallenge,
  verificationOutcomes,
} from "./domain-claim.ts";
import { findDomainClaim, lockClaimsOf, saveClaims } from "./domain-store.ts";

/** Dependencies for domains of pages. Callers must have checked access to the page. */
export type DomainContext = Pick<SitesContext, "db" | "clock" | "publicUrl" | "domainProof">;

interface PageDomain {
  readonly claim: DomainClaim;
  readonly isTaken: boolean;
  readonly isProofRequired: boolean;
  /** Host to which a CNAME must point; `null` if a CNAME is not accepted as proof. */
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

/** Looks up the records of a domain and updates the claims of every page that claims it. */
export async function verifyDomain(context: DomainContext, domain: string): Promise<void> {
  const { db, domainProof } = context;
  const ownHost = findOwnHost(context.publicUrl());
  // The lookup precedes the transaction, because rows must not stay locked during slow queries.
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

const RecordSchema = Type.Object(
  {
    type: Described(OneOf(["TXT", "CNAME"]), "The record type."),
    name: Type.String({
      description: "The full name of the record.",
      examples: ["_vedette-challenge.status.example.com"],
    }),
    value: Type.String({
      description: "The required value.",
      examples: ["vedette=2f7c9a30b1d84e5f9c6a7b8d9e0f1a2b"],
    }),
    isSeen: Type.Boolean({ description: "Whether the last verification found it." }),
  },
  { title: "DomainRecord" },
);

export const PageDomainSchema = Type.Object(
  {
    domain: Type.String({
      description: "The name, in ASCII.",
      examples: ["xn--mnchen-3ya.example"],
    }),
    unicodeDomain: Type.String({
      description: "The name in Unicode.",
      examples: ["münchen.example"],
    }),
    status: Described(
      OneOf([...domainStatuses]),
      "PENDING: not served, no record found. VERIFIED: served. MISSING: served until " +
        "`servedUntil`, the record has disappeared. UNPROVED: served without a record. TAKEN: another " +
        "page is served under this name.",
    ),
    isServed: Type.Boolean({ description: "Whether the page is served under the name." }),
    isProofRequired: Type.Boolean({
      description: "Whether this server requires proof (`DOMAIN_PROOF`).",
    }),
    records: Type.Array(RecordSchema, {
      description: "The DNS records to create; one of them is enough.",
    }),
    provedBy: Described(
      OrNull(OneOf(["TXT", "CNAME"])),
      "The record that proved it; `null` if none.",
    ),
    claimedAt: Described(DateTime, "When the page claimed the name."),
    provedAt: Described(OrNull(DateTime), "When it was proved; `null` if it is not."),
    missingSince: Described(OrNull(DateTime), "When the record disappeared; `null` if it has not."),
    servedUntil: Described(
      OrNull(DateTime),
      "When serving ends unless the record reappears; `null` if it does not end.",
    ),
    lastLookAt: Described(OrNull(DateTime), "Time of the last verification; `null` if never."),
    lastOutcome: Described(
      OrNull(OneOf([...verificationOutcomes])),
      "Result of that verification. NO_ANSWER: the name servers did not answer; nothing changes. " +
        "TAKEN: the record is correct, but another account has already proved the name.",
    ),
    found: Type.Array(Type.String({ description: "The value of a record." }), {
      description: "Up to five other values at the name of the TXT record.",
    }),
    nextLookAt: Described(OrNull(DateTime), "Time of the next verification; `null` if none."),
  },
  { title: "PageDomain" },
);

function listRecords(claim: DomainClaim, cnameTarget: string | null) {
  const { domain, accountId, isTxtSeen, isCnameSeen } = claim;
  const text = {
    type: "TXT" as const,
    name: nameChallenge(domain),
    value: createChallenge(accountId, domain),
    isSeen: isTxtSeen,
  };
  if (cnameTarget === null) return [text];
  const alias = { type: "CNAME" as const, name: domain, value: cnameTarget, isSeen: isCnameSeen };
  return [text, alias];
}

export function toWirePageDomain(page: PageDomain) {
  const { claim, isTaken, isProofRequired, cnameTarget } = page;
  const { missingSince } = claim;
  const format = (moment: Date | null) => moment && formatDateTime(moment);
  return {
    domain: claim.domain,
    unicodeDomain: domainToUnicode(claim.domain) || claim.domain,
    status: findDomainStatus(claim, isTaken),
    isServed: claim.isServed,
    isProofRequired,
    records: listRecords(claim, cnameTarget),
    provedBy: claim.proof,
    claimedAt: formatDateTime(claim.claimedAt),
    provedAt: format(claim.provedAt),
    missingSince: format(missingSince),
    servedUntil: format(missingSince && new Date(missingSince.getTime() + graceMs)),
    lastLookAt: format(claim.lookedAt),
    lastOutcome: claim.outcome,
    found: [...claim.found],
    nextLookAt: isProofRequired ? formatDateTime(claim.nextLookAt) : null,
  };
}
