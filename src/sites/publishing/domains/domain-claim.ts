import { createHash } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { readCode } from "../../../platform/errors.ts";
import type { PageReference } from "../page-names.ts";

/**
 * Results of a domain verification. NO_ANSWER: the name servers did not respond. TAKEN: the record
 * is correct, but the domain is served for another page.
 */
export const verificationOutcomes = [
  "SEEN",
  "NO_RECORD",
  "OTHER_VALUE",
  "TAKEN",
  "NO_ANSWER",
] as const;
type VerificationOutcome = (typeof verificationOutcomes)[number];
type Proof = "TXT" | "CNAME";

/** A domain that a page claims, and the state of its DNS record. */
export interface DomainClaim extends PageReference {
  readonly accountId: string;
  readonly domain: string;
  readonly claimedAt: Date;
  readonly proof: Proof | null;
  readonly provedAt: Date | null;
  readonly missingSince: Date | null;
  readonly lookedAt: Date | null;
  readonly vainLooks: number;
  readonly outcome: VerificationOutcome | null;
  readonly isTxtSeen: boolean;
  readonly isCnameSeen: boolean;
  readonly found: readonly string[];
  readonly nextLookAt: Date;
  readonly isServed: boolean;
}

/** Records found for a domain. A field is `null` if the name servers did not respond. */
export interface Sighting {
  readonly texts: readonly string[] | null;
  /** Targets of the chain of CNAME records, in order. */
  readonly targets: readonly string[] | null;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long a domain is served after its DNS record has disappeared. */
export const graceMs = 7 * dayMs;
const firstPauseMs = 30_000;
const longestPauseMs = 6 * hourMs;
const maxFound = 5;
const maxFoundLength = 255;

/**
 * Derives the verification value from account and domain, so that a domain can move between pages
 * of an account without a new record. The value is not secret, because only the owner of a domain
 * can publish its records.
 */
export function createChallenge(accountId: string, domain: string): string {
  const hash = createHash("sha256").update(`vedette domain ${accountId} ${domain}`);
  return `vedette=${hash.digest("hex").slice(0, 32)}`;
}

export const nameChallenge = (domain: string): string => `_vedette-challenge.${domain}`;

/** Returns the host to which a CNAME must point; `null` if the server has no public host name. */
export function findOwnHost(publicUrl: string): string | null {
  const host = (URL.parse(publicUrl)?.hostname ?? "").toLowerCase().replace(/\.$/, "");
  const isName = isIP(host.replace(/^\[|\]$/g, "")) === 0 && host.includes(".");
  return isName && !host.endsWith(".localhost") ? host : null;
}

interface VerificationRules {
  readonly now: Date;
  readonly ownHost: string | null;
  /** Whether there are several accounts. A CNAME then does not prove which one owns the domain. */
  readonly isShared: boolean;
}

type Evidence = Proof | "none" | "unknown";

function findEvidence(claim: DomainClaim, sighting: Sighting, rules: VerificationRules): Evidence {
  const { texts, targets } = sighting;
  if (texts?.includes(createChallenge(claim.accountId, claim.domain))) return "TXT";
  const leadsHere = rules.ownHost !== null && targets?.includes(rules.ownHost) === true;
  if (leadsHere && (!rules.isShared || claim.proof !== null)) return "CNAME";
  return texts === null || targets === null ? "unknown" : "none";
}

interface Witnessed {
  readonly claim: DomainClaim;
  readonly evidence: Evidence;
}

function isExpired({ missingSince }: DomainClaim, now: Date): boolean {
  return missingSince !== null && now.getTime() - missingSince.getTime() >= graceMs;
}

/**
 * Chooses the claim to serve. Claims with a valid TXT record have precedence: among these, the
 * served claim is chosen, or else the oldest one. If no claim has a valid TXT record, the served
 * claim stays until the grace period after the loss of its DNS record ends. If no claim is served,
 * the oldest claim with a valid CNAME record is chosen.
 */
function findServed(all: readonly Witnessed[], now: Date): DomainClaim | null {
  const inOrder = all.toSorted(
    (one, other) => one.claim.claimedAt.getTime() - other.claim.claimedAt.getTime(),
  );
  const withText = inOrder.filter(({ evidence }) => evidence === "TXT");
  const served = inOrder.find(({ claim }) => claim.isServed);
  if (withText.length > 0) {
    const stays = withText.find(({ claim }) => claim.isServed);
    return (stays ?? withText[0])?.claim ?? null;
  }
  if (served !== undefined) {
    const isOver = served.evidence === "none" && isExpired(served.claim, now);
    return isOver ? null : served.claim;
  }
  return inOrder.find(({ evidence }) => evidence === "CNAME")?.claim ?? null;
}

function findPauseMs({ proof, isServed, missingSince, vainLooks, outcome }: DomainClaim): number {
  if (isServed && (missingSince !== null || outcome === "NO_ANSWER")) return hourMs;
  if (isServed || proof !== null) return dayMs;
  return Math.min(firstPauseMs * 2 ** Math.min(vainLooks, 20), longestPauseMs);
}

function findOutcome(
  { claim, evidence }: Witnessed,
  { texts }: Sighting,
  isServed: boolean,
): VerificationOutcome {
  if (evidence === "unknown") return "NO_ANSWER";
  if (evidence === "none") return (texts?.length ?? 0) > 0 ? "OTHER_VALUE" : "NO_RECORD";
  return isServed || claim.isServed ? "SEEN" : "TAKEN";
}

function noteVerification(
  witnessed: Witnessed,
  sighting: Sighting,
  rules: VerificationRules,
  isServed: boolean,
) {
  const { claim, evidence } = witnessed;
  const { now, ownHost } = rules;
  const isSeen = evidence === "TXT" || evidence === "CNAME";
  const isProved = isServed && (isSeen || claim.proof !== null);
  const isMissing = isServed && evidence === "none" && claim.proof !== null;
  const isUnknown = evidence === "unknown";
  const challenge = createChallenge(claim.accountId, claim.domain);
  const found = (sighting.texts ?? []).filter((text) => text !== challenge);
  const noted: DomainClaim = {
    ...claim,
    isServed,
    proof: isProved ? (isSeen ? evidence : claim.proof) : null,
    provedAt: isProved ? (claim.provedAt ?? now) : null,
    missingSince:
      isUnknown && isServed ? claim.missingSince : isMissing ? (claim.missingSince ?? now) : null,
    lookedAt: now,
    vainLooks: isSeen && isServed ? 0 : claim.vainLooks + 1,
    outcome: findOutcome(witnessed, sighting, isServed),
    isTxtSeen: sighting.texts?.includes(challenge) ?? claim.isTxtSeen,
    isCnameSeen:
      sighting.targets === null
        ? claim.isCnameSeen
        : ownHost !== null && sighting.targets.includes(ownHost),
    found: isUnknown
      ? claim.found
      : found.slice(0, maxFound).map((text) => text.slice(0, maxFoundLength)),
  };
  return { ...noted, nextLookAt: new Date(now.getTime() + findPauseMs(noted)) };
}

/** Decides all claims of a domain after a verification. At most one claim is served. */
export function decideClaims(
  claims: readonly DomainClaim[],
  sighting: Sighting,
  rules: VerificationRules,
): DomainClaim[] {
  const all = claims.map((claim) => ({
    claim,
    evidence: findEvidence(claim, sighting, rules),
  }));
  const served = findServed(all, rules.now);
  return all.map((one) => noteVerification(one, sighting, rules, one.claim === served));
}

/**
 * Decides the claims if no proof is required: the served claim stays, or else the oldest claim is
 * served.
 */
export function decideWithoutProof(claims: readonly DomainClaim[], now: Date): DomainClaim[] {
  const first = claims.toSorted(
    (one, other) => one.claimedAt.getTime() - other.claimedAt.getTime(),
  )[0];
  const served = claims.find(({ isServed }) => isServed) ?? first;
  const nextLookAt = new Date(now.getTime() + dayMs);
  return claims.map((claim) => ({ ...claim, isServed: claim === served, nextLookAt }));
}

/**
 * Statuses of a custom domain. PENDING: not served, because no record was found. VERIFIED: served.
 * MISSING: still served, but its record has disappeared. UNPROVED: served without a record. TAKEN:
 * served for another page.
 */
export const domainStatuses = ["PENDING", "VERIFIED", "MISSING", "UNPROVED", "TAKEN"] as const;
type DomainStatus = (typeof domainStatuses)[number];

export function findDomainStatus(claim: DomainClaim, isTaken: boolean): DomainStatus {
  if (!claim.isServed) return isTaken ? "TAKEN" : "PENDING";
  if (claim.proof === null) return "UNPROVED";
  return claim.missingSince === null ? "VERIFIED" : "MISSING";
}

/** Looks up the records of a domain. A chain of CNAME records is followed only until `ownHost`. */
export type LookUpRecords = (domain: string, ownHost: string | null) => Promise<Sighting>;

const timeoutMs = 2_000;
const tries = 2;
/** Deadline of a whole lookup with all its queries. */
const deadlineMs = 12_000;
const maxSteps = 8;
const maxTexts = 100;
/** Error codes for a missing record. After other errors, it is unknown whether a record exists. */
const absent = new Set(["ENODATA", "ENOTFOUND", "EBADNAME"]);

async function query<Record>(question: Promise<Record[]>): Promise<Record[] | null> {
  try {
    return await question;
  } catch (error) {
    return absent.has(readCode(error)) ? [] : null;
  }
}

/** Joins the parts of a long TXT record, and removes quotes copied from a zone file. */
function readText(pieces: readonly string[]): string {
  return pieces
    .join("")
    .trim()
    .replace(/^"(.*)"$/, "$1");
}

async function followAliases(
  resolver: Resolver,
  domain: string,
  ownHost: string | null,
): Promise<string[] | null> {
  const targets: string[] = [];
  let name = domain;
  while (targets.length < maxSteps && name !== ownHost) {
    const found = await query(resolver.resolveCname(name));
    if (found === null) return null;
    const next = found[0]?.toLowerCase().replace(/\.$/, "");
    if (next === undefined || targets.includes(next)) break;
    targets.push(next);
    name = next;
  }
  return targets;
}

/** Creates a lookup that uses the given name servers, or those of the system if none are given. */
export function createRecordLookUp(servers: readonly string[] | undefined): LookUpRecords {
  return async (domain, ownHost) => {
    // Each lookup creates a resolver, because `cancel` ends all queries of a resolver, and because
    // resolvers of some Node.js versions cache answers.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const deadline = setTimeout(() => resolver.cancel(), deadlineMs);
    try {
      const [texts, targets] = await Promise.all([
        query(resolver.resolveTxt(nameChallenge(domain))),
        followAliases(resolver, domain, ownHost),
      ]);
      return { texts: texts?.slice(0, maxTexts).map(readText) ?? null, targets };
    } finally {
      clearTimeout(deadline);
    }
  };
}
