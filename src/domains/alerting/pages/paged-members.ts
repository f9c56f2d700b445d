import { notSent } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import {
  type AlertMessage,
  describeChannel,
  loadReaches,
  sendThrough,
} from "../../alert-channels/index.ts";
import { findPersonOnCall } from "../../on-call/index.ts";
import type { DelivererContext } from "../context.ts";

interface PageTarget {
  readonly scheduleId?: string | null;
  readonly userId?: string | null;
}

type Found =
  | { readonly userId: string; readonly via: string }
  | { readonly userId: null; readonly reason: string };

/** Finds whom a channel pages now. */
export async function findPaged(
  context: Pick<DelivererContext, "db" | "clock">,
  accountId: string,
  { scheduleId, userId }: PageTarget,
): Promise<Found> {
  if (!scheduleId) {
    return userId ? { userId, via: "" } : { userId: null, reason: "The channel names nobody." };
  }
  const found = await findPersonOnCall(context, accountId, scheduleId);
  if (found === null) return { userId: null, reason: "The on-call schedule was deleted." };
  const { scheduleName } = found;
  return found.userId === null
    ? { userId: null, reason: `Nobody is on call for ${toShortLine(scheduleName, 100)}.` }
    : { userId: found.userId, via: toShortLine(scheduleName, 100) };
}

export function nameMethod({
  id,
  type,
  config,
}: Parameters<typeof describeChannel>[0] & { id: string }) {
  return id === "push" ? "push" : describeChannel({ type, config });
}

/** Schedules and members as channels see them. */
export function createOnCallPages(
  context: Pick<DelivererContext, "db" | "clock" | "encryption">,
): NonNullable<DelivererContext["sendTools"]["onCall"]> {
  return {
    findFault: async (db, accountId, { scheduleId, userId }) => {
      const within = { ...context, db };
      if (scheduleId !== null) {
        const found = await findPersonOnCall(within, accountId, scheduleId);
        return found === null ? { key: "scheduleId", rule: "is not an on-call schedule" } : null;
      }
      const sendTools = { mailer: null, smsGateway: null };
      const found = await loadReaches({ ...within, sendTools }, accountId, [userId ?? ""]);
      return found.size > 0 ? null : { key: "userId", rule: "is not a member of this account" };
    },
    send: async (message: AlertMessage, target, tools) => {
      const { accountId } = tools;
      const found = await findPaged(context, accountId, target);
      if (found.userId === null) return notSent(found.reason, { isPermanent: true });
      const within = { ...context, sendTools: tools };
      const reach = (await loadReaches(within, accountId, [found.userId])).get(found.userId);
      // A test is sent at once, also in quiet hours.
      const steps = reach?.plan({ urgency: "HIGH", atMs: context.clock.nowMs() }) ?? [];
      if (reach === undefined || steps.length === 0) {
        const reason = `${reach?.name ?? "The member"} has no working contact method.`;
        return notSent(reason, { isPermanent: true });
      }
      const outcomes = await Promise.all(
        steps.map(({ method }) => sendThrough(within, { ...method, accountId }, message)),
      );
      return (
        outcomes.find(({ kind }) => kind === "sent") ?? outcomes[0] ?? notSent("Nothing sent.")
      );
    },
  };
}
