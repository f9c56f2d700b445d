import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import type { SitesContext } from "./context.ts";
import { takeDueDomains } from "./domains/domain-store.ts";
import { type DomainContext, verifyDomain } from "./domains/domains.ts";
import { ImageFetcher } from "./images/page-images.ts";

const maxAtOnce = 8;
/**
 * Duration of the lease of a domain, which is longer than a verification. If a server crashes,
 * another one verifies the domain when the lease ends.
 */
const leaseMs = 60_000;

/** Verifies the DNS records of due domains, a few concurrently. */
async function verifyDueDomains(context: DomainContext, log: Log): Promise<void> {
  const now = context.clock.now();
  const until = new Date(now.getTime() + leaseMs);
  const due = await takeDueDomains(context.db, { now, until, limit: maxAtOnce });
  await Promise.all(
    due.map((domain) =>
      verifyDomain(context, domain).catch((error) =>
        log.warn({ err: error, domain }, "a domain could not be verified; retrying"),
      ),
    ),
  );
}

const settleMs = 2_000;

/** Polling interval. Usually a notification wakes the loops earlier. */
const unwokenMs = 60_000;
const pictures = {
  table: "page_images",
  dueAt: "next_attempt_at",
  where: "next_attempt_at is not null",
};

const domains = { table: "page_domains", dueAt: "next_look_at" };

export function startSiteLoops(
  context: SitesContext,
  log: Log,
  watch: WatchQueue,
): readonly Loop[] {
  const images = new ImageFetcher(context, log);
  return [
    // Loops are stopped in the reverse order of this list. The loop that starts fetches therefore
    // stops first, and this entry then waits for the running fetches.
    { stop: () => images.settleWithin(settleMs) },
    startLoop({
      name: "fetch the pictures of pages",
      isEssential: false,
      everyMs: unwokenMs,
      restMs: 1_000,
      onWork: watch(pictures),
      log,
      turn: () => images.begin(),
    }),
    startLoop({
      name: "look at the records of domains",
      isEssential: false,
      everyMs: unwokenMs,
      restMs: 1_000,
      onWork: watch(domains),
      log,
      turn: () => verifyDueDomains(context, log),
    }),
  ];
}
