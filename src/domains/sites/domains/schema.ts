import { domainToUnicode } from "node:url";
import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { PageDomain } from "./actions.ts";
import {
  createChallenge,
  type DomainClaim,
  domainStatuses,
  findDomainStatus,
  graceMs,
  lookOutcomes,
  nameChallenge,
} from "./domain-claim.ts";

const RecordSchema = Type.Object(
  {
    type: Described(OneOf(["TXT", "CNAME"]), "The type of the record."),
    name: Type.String({
      description: "The whole name of the record.",
      examples: ["_vedette-challenge.status.example.com"],
    }),
    value: Type.String({
      description: "What it has to say.",
      examples: ["vedette=2f7c9a30b1d84e5f9c6a7b8d9e0f1a2b"],
    }),
    isSeen: Type.Boolean({ description: "Whether the last look saw it." }),
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
      description: "The name as people write it.",
      examples: ["münchen.example"],
    }),
    status: Described(
      OneOf([...domainStatuses]),
      "PENDING: not served, no record is seen. VERIFIED: served. MISSING: served until " +
        "`servedUntil`, the record has gone. UNPROVED: served without a record. TAKEN: another " +
        "page is served under this name.",
    ),
    isServed: Type.Boolean({ description: "Whether the name leads to the page." }),
    isProofRequired: Type.Boolean({
      description: "Whether this server asks for proof (`DOMAIN_PROOF`).",
    }),
    records: Type.Array(RecordSchema, { description: "Set one of them; either is proof." }),
    provedBy: Described(OrNull(OneOf(["TXT", "CNAME"])), "The record that proved it; null: none."),
    claimedAt: Described(DateTime, "When the page asked for the name."),
    provedAt: Described(OrNull(DateTime), "Since when it is proved; null: it is not."),
    missingSince: Described(OrNull(DateTime), "Since when the record is gone; null: it is not."),
    servedUntil: Described(
      OrNull(DateTime),
      "When the name is no longer served, unless the record comes back; null: no end.",
    ),
    lastLookAt: Described(OrNull(DateTime), "When the records were last looked at; null: never."),
    lastOutcome: Described(
      OrNull(OneOf([...lookOutcomes])),
      "What that look said. NO_ANSWER: the name servers gave none, which changes nothing. " +
        "TAKEN: the record is right, and another account proved the name before.",
    ),
    found: Type.Array(Type.String({ description: "The text of a record." }), {
      description: "Up to five other texts at the name of the TXT record.",
    }),
    nextLookAt: Described(OrNull(DateTime), "When they are looked at next; null: never."),
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
