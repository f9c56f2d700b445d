import { createHash, randomUUIDv7 } from "node:crypto";
import type { Caller } from "../../access/accounts/index.ts";
import { listExistingChannelIds } from "../../channels/alert-channels/index.ts";
import { type ChecksContext, definitions } from "../../checks/checks/index.ts";
import type { Result } from "../../contract/result.ts";
import { checkTypes, kinds } from "../../kinds/index.ts";
import { signalLimits } from "../../kinds/kit/signals.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { inTransaction } from "../../platform/database.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import { type AddressKey, addressKey } from "../../platform/ip-address.ts";
import { type Allowance, type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { clipText, toShortLine } from "../../platform/text/clip.ts";
import { type RecorderContext, recordResults } from "../../runs/recording/index.ts";
import { deriveRunId } from "../../runs/results/index.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { type Notification, type ReadNotification, readNotification } from "./notification.ts";
import {
  findGroup,
  findSourceByToken,
  findSourceIdByToken,
  type LockedSource,
  listGroupChecks,
  type SourceGroup,
  saveGroup,
} from "./store.ts";

/** Maximum number of alert groups per source. */
const maxGroups = 500;
/**
 * Time within which an identical notification is ignored as a duplicate delivery. The default
 * `repeat_interval`, after which Alertmanager repeats a notification on purpose, is longer.
 */
const repeatMs = 240_000;
const perSourceAMinute = 3_000;
const guessesAMinute = 60;

const maxKnownTokens = 10_000;

interface SourceLimits {
  readonly bySource: RateLimit;
  readonly guesses: RateLimit<AddressKey>;
  /** Hashes of valid tokens, which wrong tokens of the same address do not block. */
  readonly known: BoundedMap<string, true>;
}

export interface SourcesContext extends RecorderContext, ChecksContext {
  readonly sourceLimits: SourceLimits;
}

export function createSourceLimits(tools: LimitTools): SourceLimits {
  const windowMs = 60_000;
  return {
    bySource: new RateLimit({ ...tools, limit: perSourceAMinute, windowMs }),
    guesses: new RateLimit({ ...tools, limit: guessesAMinute, windowMs }),
    known: new BoundedMap(maxKnownTokens),
  };
}

const checkType = checkTypes.find((type) => kinds[type].signals !== undefined);

function findSignals() {
  const signals = checkType && kinds[checkType].signals;
  if (checkType === undefined || signals === undefined) throw new Error("no kind receives signals");
  return { checkType, signals };
}

interface Origin {
  readonly address: string;
  readonly requestId: string;
}

/** Returns the caller that creates and removes the checks of a source, limited to one account. */
export function actAs({ id, accountId, name }: LockedSource, origin: Origin): Caller {
  const label = toShortLine(`Alert source ${name}`, 200);
  const role = "READ_WRITE";
  return {
    ...{ type: "API_KEY", credentialId: id, userId: null, label, accountId, role },
    ...origin,
    accountIds: [accountId],
    roleIn: (other) => (other === accountId ? role : null),
  };
}

/**
 * If a source has the maximum number of alert groups, removes the group whose alerts ended longest
 * ago. If all groups have firing alerts, rejects the notification so that the sender retries,
 * because an alert must not be lost silently.
 */
async function makeRoom(context: SourcesContext, caller: Caller, sourceId: string): Promise<void> {
  const groups = await listGroupChecks(context.db, caller.accountId, sourceId);
  if (groups.length < maxGroups) return;
  const [oldest] = groups;
  if (oldest === undefined || oldest.isFiring) {
    throw new KnownError("unavailable", { retryAfterSeconds: 60 });
  }
  await definitions.checks.remove(context, caller, [oldest.checkId]);
}

/**
 * Returns the check of a new alert group. If a check with the key of this group already exists,
 * returns that check; otherwise, creates a check.
 */
async function openGroup(
  context: SourcesContext,
  caller: Caller,
  { source, read }: { readonly source: LockedSource; readonly read: ReadNotification },
): Promise<string> {
  const { signals, checkType: type } = findSignals();
  const groupKey = clipText(read.groupKey, signalLimits.keyLength);
  const own = signals.toFields({ sourceId: source.id, groupKey });
  const { db } = context;
  const { accountId } = caller;
  const prepared = await definitions.checks.findByFields(db, accountId, { type, fields: own });
  await makeRoom(context, caller, source.id);
  if (prepared !== null) return prepared;
  const id = randomUUIDv7();
  // Omit channels that were deleted since the source was saved.
  const existing = await listExistingChannelIds(db, accountId, source.alertChannelIds);
  const alertChannelSubscriptions = [...existing].map((alertChannelId) => {
    return { alertChannelId, activated: true };
  });
  const input = { name: read.name, groupId: source.groupId, alertChannelSubscriptions, ...own };
  const request = { id, type, input, autoAssignAlerts: false };
  const [creation] = await definitions.checks.create(context, caller, [() => request]);
  if (creation?.kind === "refused") throw creation.error;
  return id;
}

function createResult(watched: Watched, { signal }: ReadNotification, atMs: number): Result {
  const { checkId, kind, settings, places } = watched;
  const [location = ""] = places;
  return {
    runId: deriveRunId({ checkId, dueAtMs: atMs, location, attempt: 1 }),
    ...{ checkId, kind: kind.type, location, attempt: 1, probeId: "none" },
    ...{ dueAtMs: atMs, startedAtMs: atMs, stoppedAtMs: atMs },
    request: kind.toRequest(settings),
    outcome: { kind: "measured", measurement: kind.signals?.toMeasurement(signal) },
  };
}

function isRepeated(group: SourceGroup | null, digest: Buffer, atMs: number): boolean {
  return group?.digest.equals(digest) === true && atMs - group.receivedAt.getTime() < repeatMs;
}

/** Stores a notification. Must run in the transaction that locks the source. */
async function store(
  context: SourcesContext,
  source: LockedSource,
  about: {
    readonly read: ReadNotification;
    readonly origin: Origin;
    readonly opened: (checkId: string) => void;
  },
): Promise<void> {
  const { db, clock, watchList } = context;
  const { read, origin } = about;
  const keyHash = createHash("sha256").update(read.groupKey).digest();
  const group = await findGroup(db, source.accountId, { sourceId: source.id, keyHash });
  const nowMs = clock.nowMs();
  if (isRepeated(group, read.digest, nowMs)) return;
  // Ignore a resolved notification of an alert group that has no check yet.
  if (group === null && read.signal.status === "resolved") return;
  const checkId =
    group?.checkId ?? (await openGroup(context, actAs(source, origin), { source, read }));
  about.opened(checkId);
  // Run ids are derived from the time in milliseconds, so never reuse the previous time.
  const atMs = Math.max(nowMs, (group?.receivedAt.getTime() ?? 0) + 1);
  const watched = (await watchList.find([checkId], db)).get(checkId);
  if (watched === undefined) throw new Error(`the check ${checkId} of an alert group is missing`);
  await recordResults(context, [createResult(watched, read, atMs)]);
  const isFiring = read.signal.status === "firing";
  const receivedAt = new Date(atMs);
  await saveGroup(db, source.accountId, {
    sourceId: source.id,
    checkId,
    digest: read.digest,
    receivedAt,
    keyHash,
    isFiring,
  });
}

function rejectExcess({ allowed, resetSeconds }: Allowance): void {
  // Respond 503, so that Alertmanager retries. After a response of 429, it would drop the
  // notification.
  if (!allowed) throw new KnownError("unavailable", { retryAfterSeconds: resetSeconds });
}

const unknownToken = () =>
  notFound("No alert source has this address. Its token may have been replaced.");

/** Rejects a request before its body is read, unless its token belongs to a source. */
export async function admitNotification(
  { db, sourceLimits: { guesses, bySource, known } }: SourcesContext,
  token: string,
  address: string,
): Promise<void> {
  const tokenHash = hashSecret(token);
  const key = tokenHash.toString("base64");
  const client = addressKey(address);
  if (!known.has(key)) rejectExcess(guesses.peek(client));
  const sourceId = await findSourceIdByToken(db, { tokenHash });
  if (sourceId === null) {
    known.delete(key);
    guesses.take(client);
    throw unknownToken();
  }
  known.set(key, true);
  rejectExcess(bySource.take(sourceId));
}

/** Stores a notification of a source, unless it is a duplicate delivery. */
export async function receiveNotification(
  context: SourcesContext,
  token: string,
  { body, origin }: { readonly body: Notification; readonly origin: Origin },
): Promise<void> {
  const read = readNotification(body);
  const { clock, watchList } = context;
  let checkId: string | null = null;
  try {
    await inTransaction(context.db, async (db) => {
      const source = await findSourceByToken(db, {
        tokenHash: hashSecret(token),
        at: clock.now(),
      });
      if (source === null) throw unknownToken();
      const opened = (id: string) => {
        checkId = id;
      };
      await store({ ...context, db }, source, { read, origin, opened });
    });
  } catch (error) {
    // The transaction that created the check was rolled back, so stop watching the check.
    if (checkId !== null) watchList.forget(checkId);
    throw error;
  }
}
