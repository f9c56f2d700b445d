import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntries } from "../../../access/accounts/index.ts";
import { holdChecks } from "../../../checks/checks/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { assertMatch, tagVersion } from "../../../platform/http/send.ts";
import type { AlertingContext } from "../context.ts";
import {
  findEndFault,
  type Mute,
  type MuteTarget,
  maxMutes,
  nameTarget,
  parseTarget,
  type TargetInput,
} from "./mute.ts";
import {
  countMutes,
  deleteMutes,
  findMute,
  listGroupIds,
  listMutes,
  type MutesQuery,
  mapMutesOf,
  type NamedMute,
  saveMutes,
  wakeMutedStates,
} from "./mute-store.ts";

type MutesContext = Pick<AlertingContext, "db" | "clock">;

export interface MuteChange {
  /** End of the mute in ISO 8601 format; `null` to end the mutes of the targets now. */
  readonly mutedUntil: string | null;
  readonly reason?: string | undefined;
}

export const tagMute = ({ version }: Mute) => tagVersion(version);

export function listOwnMutes(
  { db, clock }: MutesContext,
  { accountId }: Caller,
  query: MutesQuery,
): Promise<{ readonly mutes: NamedMute[]; readonly total: number }> {
  return listMutes(db, accountId, { ...query, now: clock.now() });
}

export async function getMute(
  { db, clock }: MutesContext,
  { accountId }: Caller,
  id: string,
): Promise<NamedMute> {
  const mute = await findMute(db, accountId, { id, now: clock.now() });
  if (mute === null) throw notFound();
  return mute;
}

function parseTargets(inputs: readonly TargetInput[]): MuteTarget[] {
  return inputs.map((input, index) => {
    const target = parseTarget(input);
    if ("lacks" in target) throw invalid(`targets.${index}.${target.lacks}`, "is required");
    return target;
  });
}

/**
 * Rejects unknown checks and groups. Unknown tags are accepted, because a mute also applies to
 * checks that get the tag later.
 */
async function assertTargetsExist(
  db: Database,
  accountId: string,
  targets: readonly MuteTarget[],
): Promise<void> {
  const checkIds = targets.flatMap(({ checkId }) => checkId ?? []);
  const groupIds = targets.flatMap(({ groupId }) => groupId ?? []);
  const checks = await holdChecks(db, accountId, checkIds);
  const groups = await listGroupIds(db, accountId, groupIds);
  for (const [index, { checkId, groupId }] of targets.entries()) {
    const isKnown =
      (checkId === null || checks.has(checkId)) && (groupId === null || groups.has(groupId));
    const field = checkId === null ? "groupId" : "checkId";
    if (!isKnown)
      throw invalid(`targets.${index}.${field}`, "does not exist in this account; choose another");
  }
}

function parseEnd(mutedUntil: string, now: Date): Date {
  const endsAtMs = Date.parse(mutedUntil);
  const fault = findEndFault(endsAtMs, now.getTime());
  if (fault !== null) throw invalid("mutedUntil", fault);
  return new Date(endsAtMs);
}

/** Returns the audit log entry for a change of a mute. */
function noteAbout(action: string, mute: NamedMute | Mute, at: Date) {
  const name = "name" in mute && mute.name !== "" ? mute.name : nameTarget(mute.target);
  const { endsAt, reason } = mute;
  const changes = { name, target: nameTarget(mute.target), mutedUntil: endsAt, reason };
  return { action, targetId: mute.id, changes, at };
}

async function endMutes(
  db: Database,
  caller: Caller,
  { mutes, now }: { readonly mutes: readonly NamedMute[]; readonly now: Date },
): Promise<void> {
  await deleteMutes(
    db,
    caller.accountId,
    mutes.map(({ id }) => id),
  );
  await wakeMutedStates(db, caller.accountId, { targets: mutes.map(targetOf), now });
  const notes = mutes.map((mute) => noteAbout("mute.deleted", mute, now));
  await writeAuditEntries(db, caller, notes);
}

const targetOf = ({ target }: Mute) => target;

/**
 * Mutes targets until a given time, or ends their mutes. All targets are changed or none. A target
 * that is already muted gets the new end and reason.
 */
export async function muteTargets(
  { db: pool, clock }: MutesContext,
  caller: Caller,
  change: MuteChange & { readonly targets: readonly TargetInput[] },
): Promise<NamedMute[]> {
  const { accountId } = caller;
  const { mutedUntil, reason = "" } = change;
  const now = clock.now();
  const given = parseTargets(change.targets);
  const targets = [...new Map(given.map((target) => [nameTarget(target), target])).values()];
  const endsAt = mutedUntil === null ? null : parseEnd(mutedUntil, now);
  return inTransaction(pool, async (db) => {
    await lockName(db, `mutes ${accountId}`);
    await assertTargetsExist(db, accountId, given);
    const stored = await mapMutesOf(db, accountId, targets);
    const current = new Map([...stored].filter(([, mute]) => mute.endsAt > now));
    if (endsAt === null) {
      await endMutes(db, caller, { mutes: [...current.values()], now });
      return [];
    }
    const mutes = targets.map((target): Mute => {
      const known = current.get(nameTarget(target));
      const given = { target, endsAt, reason: reason.trim(), author: caller.label };
      return known === undefined
        ? { ...given, id: randomUUIDv7(), version: 1, createdAt: now, updatedAt: null }
        : { ...known, ...given, version: known.version + 1, updatedAt: now };
    });
    await saveMutes(db, accountId, mutes);
    if ((await countMutes(db, accountId, now)) > maxMutes) {
      throw conflict(`an account has at most ${maxMutes} mutes; mute a group or a tag instead`);
    }
    await wakeMutedStates(db, accountId, { targets, now });
    const saved = await mapMutesOf(db, accountId, targets);
    const shown = targets.flatMap((target) => saved.get(nameTarget(target)) ?? []);
    const notes = shown.map((mute) =>
      noteAbout(mute.version === 1 ? "mute.created" : "mute.updated", mute, now),
    );
    await writeAuditEntries(db, caller, notes);
    return shown;
  });
}

interface OneChange {
  readonly id: string;
  readonly ifMatch?: string | undefined;
}

async function lockMute(db: Database, caller: Caller, change: OneChange & { readonly now: Date }) {
  const { id, ifMatch, now } = change;
  await lockName(db, `mutes ${caller.accountId}`);
  const mute = await findMute(db, caller.accountId, { id, now, isLocked: true });
  if (mute === null) throw notFound();
  assertMatch(ifMatch, tagMute(mute));
  return mute;
}

/** Changes the end and the reason of a mute. */
export async function changeMute(
  { db: pool, clock }: MutesContext,
  caller: Caller,
  change: OneChange & { readonly mutedUntil: string; readonly reason?: string | undefined },
): Promise<NamedMute> {
  const now = clock.now();
  const endsAt = parseEnd(change.mutedUntil, now);
  return inTransaction(pool, async (db) => {
    const before = await lockMute(db, caller, { ...change, now });
    const reason = (change.reason ?? "").trim();
    const version = before.version + 1;
    const mute = { ...before, endsAt, reason, author: caller.label, version, updatedAt: now };
    await saveMutes(db, caller.accountId, [mute]);
    await wakeMutedStates(db, caller.accountId, { targets: [mute.target], now });
    await writeAuditEntries(db, caller, [noteAbout("mute.updated", mute, now)]);
    return mute;
  });
}

/** Ends a mute. Alerts are sent immediately for checks that still fail. */
export async function endMute(
  { db: pool, clock }: MutesContext,
  caller: Caller,
  change: OneChange,
): Promise<void> {
  const now = clock.now();
  await inTransaction(pool, async (db) => {
    const mute = await lockMute(db, caller, { ...change, now });
    await endMutes(db, caller, { mutes: [mute], now });
  });
}
