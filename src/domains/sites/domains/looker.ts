import type { Log } from "../../../platform/log.ts";
import { type DomainContext, lookAtDomain } from "./actions.ts";
import { takeDueDomains } from "./domain-store.ts";

const maxAtOnce = 8;
/** Longer than a look can take; after a crash, another server looks then. */
const leaseMs = 60_000;

/** Looks at the records of domains that are due, a few at once. */
export async function lookAtDueDomains(context: DomainContext, log: Log): Promise<void> {
  const now = context.clock.now();
  const until = new Date(now.getTime() + leaseMs);
  const due = await takeDueDomains(context.db, { now, until, limit: maxAtOnce });
  await Promise.all(
    due.map((domain) =>
      lookAtDomain(context, domain).catch((error) =>
        log.warn({ err: error, domain }, "a domain could not be looked at; trying again"),
      ),
    ),
  );
}
