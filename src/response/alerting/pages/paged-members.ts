import { listOwnerIds } from "../../../access/accounts/index.ts";
import {
  type AlertChannel,
  type AlertMessage,
  describeChannel,
  findChannel,
  loadReaches,
  sendThrough,
  unsealChannel,
} from "../../../channels/alert-channels/index.ts";
import type { SendOutcome } from "../../../platform/deliverer.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { findPersonOnCall, type PersonOnCall } from "../../on-call/index.ts";
import type { DelivererContext } from "../context.ts";
import { getSettings } from "../settings/settings-store.ts";

export interface PageTarget {
  readonly scheduleId?: string | null;
  readonly userId?: string | null;
}

/** The member whom a channel pages, and the schedule that names the member, if any. */
export interface PagedPerson {
  readonly userId: string;
  readonly via: string;
}

type Found = PagedPerson | { readonly userId: null; readonly reason: string };

/** Returns the member whom a channel pages. `onCall` finds the person on call for a schedule. */
export function decidePaged(
  { scheduleId, userId }: PageTarget,
  onCall: (scheduleId: string) => PersonOnCall | null,
): Found {
  if (!scheduleId) {
    return userId ? { userId, via: "" } : { userId: null, reason: "The channel names nobody." };
  }
  const found = onCall(scheduleId);
  if (found === null) return { userId: null, reason: "The on-call schedule was deleted." };
  const name = toShortLine(found.scheduleName, 100);
  return found.userId === null
    ? { userId: null, reason: `Nobody is on call for ${name}.` }
    : { userId: found.userId, via: name };
}

/** Returns the member whom a channel pages at the current time. */
export async function findPaged(
  context: Pick<DelivererContext, "db" | "clock">,
  accountId: string,
  target: PageTarget,
): Promise<Found> {
  const { scheduleId } = target;
  const onCall = scheduleId ? await findPersonOnCall(context, accountId, scheduleId) : null;
  return decidePaged(target, () => onCall);
}

export type Reach = NonNullable<ReturnType<Awaited<ReturnType<typeof loadReaches>>["get"]>>;

type Steps = ReturnType<Reach["plan"]>;

/** Decides when each contact method of a member is used, or explains why none can be used. */
export function decideSteps(
  reach: Reach | undefined,
  page: Parameters<Reach["plan"]>[0],
):
  | { readonly reach: Reach; readonly steps: Steps; readonly reason: null }
  | { readonly reach: Reach | null; readonly reason: string } {
  if (reach === undefined) return { reach: null, reason: "The member has left the account." };
  const steps = reach.plan(page);
  const reason = `${toShortLine(reach.name, 100)} has no working contact method.`;
  return steps.length === 0 ? { reach, reason } : { reach, steps, reason: null };
}

/**
 * Recipients of alerts that reached nobody: the fallback channel of the account, or the owners by
 * email if `channel` is `null`.
 */
export interface Fallback {
  readonly channel: AlertChannel | null;
  readonly mails: readonly { readonly reach: Reach; readonly method: Reach["methods"][number] }[];
}

export async function loadFallback(
  context: Pick<DelivererContext, "db" | "encryption"> & Parameters<typeof loadReaches>[0],
  accountId: string,
): Promise<Fallback> {
  const { db } = context;
  const { fallbackAlertChannelId: id } = await getSettings(db, accountId);
  const channel = id === null ? null : await findChannel(db, accountId, id);
  if (channel !== null && channel.type !== "ONCALL") return { channel, mails: [] };
  const owners = await loadReaches(context, accountId, await listOwnerIds(db, accountId));
  const mails = [...owners.values()].flatMap((reach) =>
    reach.methods.filter(({ id }) => id === "email").map((method) => ({ reach, method })),
  );
  return { channel: null, mails };
}

/** Returns the recipient of a channel; "unreadable" if its configuration cannot be decrypted. */
export function nameChannel(
  context: Pick<DelivererContext, "encryption">,
  channel: AlertChannel,
): string {
  const { type, config, problem = null } = unsealChannel(context, channel);
  return problem === null ? describeChannel({ type, config }) : "unreadable";
}

export function nameMethod({
  id,
  type,
  config,
}: Parameters<typeof describeChannel>[0] & { id: string }) {
  return id === "push" ? "push" : describeChannel({ type, config });
}

/** Returns the outcome of a test page: sent if at least one contact method succeeded. */
function decideTest(
  member: string,
  tests: readonly { readonly name: string; readonly outcome: SendOutcome }[],
): SendOutcome {
  const sent = tests.filter(({ outcome }) => outcome.kind === "sent");
  const [first] = sent.length > 0 ? sent : tests;
  if (first === undefined) return notSent("Nothing sent.");
  if (first.outcome.kind !== "sent") return first.outcome;
  const names = sent.map(({ name }) => name).join(", ");
  return { ...first.outcome, recipient: `${toShortLine(member, 100)}: ${names}` };
}

/** Creates the functions with which ONCALL channels validate targets and send test messages. */
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
      // The delays of the steps are ignored: a test message is sent immediately, even in quiet
      // hours.
      const steps = reach?.plan({ urgency: "HIGH", atMs: context.clock.nowMs() }) ?? [];
      if (reach === undefined || steps.length === 0) {
        const reason = `${reach?.name ?? "The member"} has no working contact method.`;
        return notSent(reason, { isPermanent: true });
      }
      const methods = new Map(steps.map(({ method }) => [method.id, method])).values();
      const tests = await Promise.all(
        [...methods].map(async (method) => ({
          name: nameMethod(method),
          outcome: await sendThrough(within, { ...method, accountId }, message),
        })),
      );
      return decideTest(reach.name, tests);
    },
  };
}
