import { Resolver } from "node:dns/promises";
import { readCode } from "../../../platform/errors.ts";
import { nameChallenge, type Sighting } from "./domain-claim.ts";

/** A chain of aliases is followed only up to `ownHost`. */
export type LookUpRecords = (domain: string, ownHost: string | null) => Promise<Sighting>;

const timeoutMs = 2_000;
const tries = 2;
/** Deadline of one lookup, over all of its steps. */
const deadlineMs = 12_000;
const maxSteps = 8;
const maxTexts = 100;
/** Codes that mean that there is no such record; other errors say nothing about it. */
const absent = new Set(["ENODATA", "ENOTFOUND", "EBADNAME"]);

async function query<Record>(question: Promise<Record[]>): Promise<Record[] | null> {
  try {
    return await question;
  } catch (error) {
    return absent.has(readCode(error)) ? [] : null;
  }
}

/** A long text is sent in parts, and people paste the quotes of their zone file. */
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

/** Queries the given name servers, or those of the system. */
export function createRecordLookUp(servers: readonly string[] | undefined): LookUpRecords {
  return async (domain, ownHost) => {
    // A resolver caches answers, so each lookup uses a new one.
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
