import type { Log } from "../../../platform/log.ts";
import { type DomainContext, verifyDomain } from "./actions.ts";
import { takeDueDomains } from "./domain-store.ts";

const maxAtOnce = 8;
/** Longer than a verification can take; after a crash, another server takes over then. */
const leaseMs = 60_000;

/** Verifies the DNS records of due domains, a few concurrently. */
export async function verifyDueDomains(context: DomainContext, log: Log): Promise<void> {
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
