/**
 * Creates any number of checks with a constant number of SQL statements. All code that creates
 * checks uses this file: single creation, lists of checks and deployments.
 */
import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { type CheckType, kinds } from "../../kinds/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { findTakenConstraint } from "../../platform/database-errors.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { invalid, invalidFields, KnownError } from "../../platform/errors.ts";
import { storeVariables } from "../variables/index.ts";
import { type Check, mergePrivateSettings } from "./check.ts";
import { type CheckInput, createSeal, mapSecrets, mergeCheckSettings } from "./check-settings.ts";
import { findSettingsFaults, holdReferences } from "./reference-faults.ts";
import { createSendingGuard } from "./sending-guard.ts";
import { insertChecks, listWatchedByToken } from "./store.ts";
import { subscribeNewChecks } from "./subscribed-channels.ts";

export interface NewCheck {
  readonly type: CheckType;
  readonly input: CheckInput;
}

export interface RequestedCheck extends NewCheck {
  /** Id of the check, chosen before the check is stored so that other objects can refer to it. */
  readonly id: string;
  readonly autoAssignAlerts: boolean;
}

/** Outcome of one requested check. */
type Creation =
  | { readonly kind: "created"; readonly check: Check }
  | { readonly kind: "refused"; readonly error: KnownError };

interface CreateContext {
  /** Connection with the open transaction that creates the checks. */
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** Groups that the same deployment created. */
  readonly createdGroupIds?: ReadonlySet<number>;
}

interface Draft extends RequestedCheck {
  readonly index: number;
  /** The new check with decrypted secrets. */
  readonly check: Check;
}

/** Collects the outcome of each request. A failed request does not affect the others. */
class Outcomes {
  private readonly refused = new Map<number, KnownError>();

  async judge<Outcome>(index: number, work: () => Outcome | Promise<Outcome>) {
    try {
      return [await work()];
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      this.refused.set(index, error);
      return [];
    }
  }

  list(drafts: readonly Draft[], count: number): Creation[] {
    const created = new Map(drafts.map(({ index, check }) => [index, check]));
    return Array.from({ length: count }, (_, index): Creation => {
      const check = created.get(index);
      if (check !== undefined) return { kind: "created", check };
      const error = this.refused.get(index);
      if (error === undefined) throw new Error(`Request ${index} has no outcome.`);
      return { kind: "refused", error };
    });
  }
}

function draftCheck(
  { clock, encryption }: CreateContext,
  index: number,
  request: RequestedCheck,
): Draft {
  const { id, type, input } = request;
  const check: Check = {
    id,
    kind: type,
    settings: mergeCheckSettings(kinds[type], null, input),
    variables: storeVariables([], input.environmentVariables, encryption),
    status: "unknown",
    createdAt: clock.now(),
    updatedAt: null,
  };
  return { ...request, index, check };
}

function readToken({ check: { kind, settings } }: Draft): string | null {
  return kinds[kind].pings?.token(settings).toLowerCase() ?? null;
}

/**
 * Returns a function that throws if the ping token of a new check is already in use. The error does
 * not reveal which check uses the token.
 */
async function createTokenGuard(db: Database, drafts: readonly Draft[]) {
  const tokens = drafts.flatMap((draft) => readToken(draft) ?? []);
  const taken = new Set(tokens.length === 0 ? [] : (await listWatchedByToken(db, tokens)).keys());
  return (draft: Draft) => {
    const token = readToken(draft);
    if (token === null) return;
    if (taken.has(token)) throw invalid(kinds[draft.type].pings?.tokenField ?? "", "is in use");
    taken.add(token);
  };
}

/** Validates each draft separately, records errors, and returns the valid drafts. */
async function validateDrafts(
  context: CreateContext,
  caller: Caller,
  { drafts, outcomes }: { readonly drafts: readonly Draft[]; readonly outcomes: Outcomes },
): Promise<Draft[]> {
  const all = drafts.map(({ check }) => check);
  const references = await holdReferences(context.db, caller.accountId, all);
  const assertMaySend = createSendingGuard(context, caller);
  const assertTokenFree = await createTokenGuard(context.db, drafts);
  const valid: Draft[] = [];
  for (const draft of drafts) {
    const { check, input, index } = draft;
    const judged = await outcomes.judge(index, async () => {
      const faults = findSettingsFaults(check, null, references);
      if (faults.length > 0) throw invalidFields(faults);
      const group = references.groups.get(check.settings.groupId ?? 0) ?? null;
      await assertMaySend({ check, before: null, input }, group);
      assertTokenFree(draft);
      return draft;
    });
    valid.push(...judged);
  }
  return valid;
}

async function storeDrafts(
  { db, encryption }: CreateContext,
  { accountId }: Caller,
  drafts: readonly Draft[],
): Promise<void> {
  const seal = createSeal(encryption);
  const stored = drafts.map(({ check, type, input }) => ({
    ...check,
    settings: mapSecrets(kinds[type], check.settings, seal),
    privateSettings: mergePrivateSettings(kinds[type], {}, input),
  }));
  try {
    await insertChecks(db, accountId, stored);
  } catch (error) {
    if (findTakenConstraint(error) !== "checks_ping_token") throw error;
    // A concurrent request stored the same token after `createTokenGuard` had read the tokens.
    const field = drafts.map(({ type }) => kinds[type].pings?.tokenField).find(Boolean);
    throw invalid(field ?? "", "is in use");
  }
  await subscribeNewChecks(
    db,
    accountId,
    drafts.map(({ check: { id }, input, autoAssignAlerts }) => ({
      id,
      named: input.alertChannelSubscriptions,
      autoAssignAlerts,
    })),
  );
}

/** Writes a single audit entry for all created checks. */
async function recordCreation(
  { db, clock }: CreateContext,
  caller: Caller,
  drafts: readonly Draft[],
): Promise<void> {
  const items = drafts.map(({ check: { id, kind, settings } }) => ({
    id,
    name: settings.name,
    target: kinds[kind].target(settings),
  }));
  const [first] = items;
  if (first === undefined) return;
  const note = { action: "check.created", at: clock.now() };
  if (items.length === 1) {
    const { id, ...changes } = first;
    await writeAuditEntry(db, caller, { ...note, targetId: id, changes });
    return;
  }
  const changes = { title: `${items.length} checks` };
  await writeAuditEntry(db, caller, { ...note, targetId: randomUUIDv7(), changes, items });
}

/** Creates the valid checks in the given transaction and returns one outcome per request. */
export async function createRequestedChecks(
  context: CreateContext,
  caller: Caller,
  requests: readonly (() => RequestedCheck)[],
): Promise<Creation[]> {
  const outcomes = new Outcomes();
  const drafts: Draft[] = [];
  for (const [index, read] of requests.entries()) {
    drafts.push(...(await outcomes.judge(index, () => draftCheck(context, index, read()))));
  }
  const valid = await validateDrafts(context, caller, { drafts, outcomes });
  if (valid.length > 0) await storeDrafts(context, caller, valid);
  await recordCreation(context, caller, valid);
  return outcomes.list(valid, requests.length);
}
