import { inTransaction } from "../../../platform/database.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { createSecret } from "../../../platform/secrets.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { getCheck, getGroup, listChecks } from "../../checks/index.ts";
import type { ScheduleContext } from "../context.ts";
import { triggerChecks } from "../sessions/actions.ts";
import type { SessionReport } from "../sessions/session.ts";
import type { RunTrigger, TriggerSubject } from "./run-trigger.ts";
import {
  deleteTrigger,
  findTrigger,
  findTriggerByToken,
  insertTrigger,
  noteTriggerCall,
} from "./store.ts";

/** URLs that run a check, or the checks of a group, without a key. */

const callsPerMinute = 10;
/** As many checks as one request may trigger. */
const maxChecks = 100;

export function createTriggerLimit({ clock, servers }: ScheduleContext): RateLimit {
  return new RateLimit({ limit: callsPerMinute, windowMs: 60_000, clock, servers });
}

/** Throws not found unless the check or group belongs to the caller's account. */
async function assertOwn(
  context: ScheduleContext,
  caller: Caller,
  { checkId, groupId }: TriggerSubject,
): Promise<string> {
  if (checkId !== null) return (await getCheck(context, caller, checkId)).id;
  return String((await getGroup(context, caller, groupId)).id);
}

export async function readTrigger(
  context: ScheduleContext,
  caller: Caller,
  subject: TriggerSubject,
): Promise<RunTrigger> {
  const trigger = await findTrigger(context.db, caller.accountId, subject);
  if (trigger === null) throw notFound();
  return trigger;
}

/** Returns the existing trigger if there is one. */
export async function createTrigger(
  context: ScheduleContext,
  caller: Caller,
  subject: TriggerSubject,
): Promise<RunTrigger> {
  const targetId = await assertOwn(context, caller, subject);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const existing = await findTrigger(db, caller.accountId, subject);
    if (existing === null) {
      await insertTrigger(db, caller.accountId, { ...subject, token: createSecret(24), at });
      await writeAuditEntry(db, caller, { action: "run-trigger.created", targetId, at });
    }
    return readTrigger({ ...context, db }, caller, subject);
  });
}

export async function removeTrigger(
  context: ScheduleContext,
  caller: Caller,
  subject: TriggerSubject,
): Promise<void> {
  const targetId = await assertOwn(context, caller, subject);
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    if (!(await deleteTrigger(db, caller.accountId, subject))) throw notFound();
    await writeAuditEntry(db, caller, { action: "run-trigger.deleted", targetId, at });
  });
}

export interface TriggerCall {
  readonly token: string;
  readonly address: string;
  readonly requestId: string;
}

/** Runs the checks of a trigger. The token is the only proof that the caller needs. */
export async function callTrigger(
  context: ScheduleContext,
  limit: RateLimit,
  subject: TriggerSubject,
  { token, address, requestId }: TriggerCall,
): Promise<SessionReport[]> {
  const trigger = await findTriggerByToken(context.db, subject, token);
  if (trigger === null) throw notFound();
  const { allowed, resetSeconds } = limit.take(String(trigger.id));
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const { accountId } = trigger;
  const checkId = await listSubjects(context, accountId, subject);
  if (checkId.length === 0) throw notFound();
  const origin = { address, requestId };
  const actor = { type: "SYSTEM", credentialId: null, label: "Trigger URL", ...origin } as const;
  const reports = await triggerChecks(context, { ...actor, accountId }, { checkId });
  await noteTriggerCall(context.db, accountId, { id: trigger.id, at: context.clock.now() });
  return reports;
}

async function listSubjects(
  { db }: ScheduleContext,
  accountId: string,
  { checkId, groupId }: TriggerSubject,
): Promise<string[]> {
  if (checkId !== null) return [checkId];
  const { checks } = await listChecks(db, accountId, { limit: maxChecks, page: 1, groupId });
  return checks.map(({ id }) => id);
}
