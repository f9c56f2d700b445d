import type { Caller } from "../../access/accounts/index.ts";
import { type Check, getCheck } from "../../checks/checks/index.ts";
import { kinds } from "../../kinds/index.ts";
import type { PingEvent } from "../../kinds/kit/pings.ts";
import type { Database } from "../../platform/database.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import type { AddressKey } from "../../platform/ip-address.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import type { RecorderContext } from "../recording/index.ts";
import { getResult, listCheckResults, type ResultRow, readRun } from "../results/index.ts";
import type { StatesContext } from "../states/index.ts";
import { summariseChecks } from "../statistics/index.ts";
import type { Ping } from "./heartbeat.ts";

export interface HeartbeatEvent {
  readonly id: string;
  readonly atMs: number;
  readonly event: PingEvent;
}

export interface Availability {
  /** Availability in the preceding period of equal length, from 0 to 1; `null` without events. */
  readonly previous: number | null;
  readonly current: number | null;
  readonly events: number;
}

/** A time range; a bound that is `null` gets a default. */
export interface Span {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface EventStats {
  readonly last24Hours: Availability | null;
  readonly last7Days: Availability | null;
}

const dayMs = 86_400_000;
const maxSpanMs = 400 * dayMs;
/**
 * Maximum time that an event may be in the future, in milliseconds. An event can be in the future
 * because the clocks of servers differ. Also, if several pings arrive at the same time, each gets a
 * later event time than the ping before.
 */
const aheadMs = 60_000;

async function getPingedCheck(
  context: StatesContext,
  caller: Caller,
  checkId: string,
): Promise<Check> {
  const check = await getCheck(context, caller, checkId);
  if (kinds[check.kind].pings === undefined) throw notFound();
  return check;
}

function decideSpan({ fromMs, toMs }: Span, nowMs: number): { fromMs: number; toMs: number } {
  const endMs = toMs ?? nowMs;
  const startMs = fromMs ?? endMs - dayMs;
  if (startMs >= endMs) throw invalid("startTime", "must be before endTime", "querystring");
  if (endMs - startMs > maxSpanMs) {
    throw invalid("startTime", "must be at most 400 days before endTime", "querystring");
  }
  return { fromMs: startMs, toMs: endMs };
}

function toEvent({ kind: type }: Check, row: ResultRow): HeartbeatEvent[] {
  const kind = kinds[type];
  const { outcome } = readRun(kind, row);
  if (outcome.kind !== "measured" || kind.pings === undefined) return [];
  const event = kind.pings.toEvent(outcome.measurement);
  return [{ id: row.id, atMs: row.started_at.getTime(), event }];
}

async function measure(
  context: StatesContext,
  checkId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<Availability | null> {
  const before = { fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
  const [[current], [previous]] = await Promise.all([
    summariseChecks(context, [checkId], { fromMs, toMs }),
    summariseChecks(context, [checkId], before),
  ]);
  if (current === undefined) return null;
  const { passing, degraded, failing } = current.runs;
  const events = passing + degraded + failing;
  if (events === 0) return null;
  return { previous: previous?.availability ?? null, current: current.availability, events };
}

async function readStats(context: StatesContext, checkId: string): Promise<EventStats> {
  const toMs = context.clock.now().getTime() + aheadMs;
  const [last24Hours, last7Days] = await Promise.all([
    measure(context, checkId, { fromMs: toMs - dayMs, toMs }),
    measure(context, checkId, { fromMs: toMs - 7 * dayMs, toMs }),
  ]);
  return { last24Hours, last7Days };
}

/** Lists the events of a check, newest first. */
export async function listEvents(
  context: StatesContext,
  caller: Caller,
  request: Span & { readonly checkId: string; readonly limit: number },
): Promise<{ readonly events: readonly HeartbeatEvent[]; readonly stats: EventStats }> {
  const check = await getPingedCheck(context, caller, request.checkId);
  const { fromMs, toMs } = decideSpan(request, context.clock.now().getTime() + aheadMs);
  const { rows } = await listCheckResults(context, caller, {
    checkId: check.id,
    limit: request.limit,
    resultType: "FINAL",
    from: fromMs / 1_000,
    to: toMs / 1_000,
  });
  const events = rows.flatMap((row) => toEvent(check, row));
  return { events, stats: await readStats(context, check.id) };
}

export async function getEvent(
  context: StatesContext,
  caller: Caller,
  { checkId, id }: { readonly checkId: string; readonly id: string },
): Promise<{ readonly event: HeartbeatEvent; readonly stats: EventStats }> {
  const check = await getPingedCheck(context, caller, checkId);
  const { row } = await getResult(context, caller, { checkId: check.id, resultId: id });
  const [event] = toEvent(check, row);
  if (event === undefined) throw notFound();
  return { event, stats: await readStats(context, check.id) };
}

/** Returns the availability of a check in a time range; `null` without events. */
export async function measureAvailability(
  context: StatesContext,
  caller: Caller,
  request: Span & { readonly checkId: string },
): Promise<Availability | null> {
  const check = await getPingedCheck(context, caller, request.checkId);
  return measure(context, check.id, decideSpan(request, context.clock.now().getTime() + aheadMs));
}

/** Maximum number of pings per minute and token. A broken job must not fill the disk. */
const perTokenAMinute = 120;
/** Maximum number of requests per minute with unknown tokens, per client network. */
const guessesAMinute = 60;

/** Dependencies for storing pings and detecting missed pings. */
export interface PingsContext extends RecorderContext {
  /** Reads the clock of the database, by which all servers decide whether a ping is late. */
  readonly readNowMs: (db: Database) => Promise<number>;
}

/**
 * Result of a ping. `unknown`: no check has the token. `full`: too many pings are waiting to be
 * stored, so the client should retry.
 */
export type Taken = "taken" | "unknown" | "full";

export interface Intake {
  /** Returns whether this server has cached which check the token belongs to. */
  readonly knows: (token: string) => boolean;
  /** Accepts a ping. The promise resolves when the ping is stored. */
  readonly take: (token: string, ping: Ping) => Promise<Taken>;
  /** Waits until all accepted pings are stored. */
  readonly stop: () => Promise<void>;
}

export interface HeartbeatsContext extends PingsContext {
  readonly intake: Intake;
  readonly pingLimits: PingLimits;
}

interface PingLimits {
  readonly byToken: RateLimit;
  readonly guesses: RateLimit<AddressKey>;
}

export function createPingLimits(tools: LimitTools): PingLimits {
  const windowMs = 60_000;
  return {
    byToken: new RateLimit({ ...tools, limit: perTokenAMinute, windowMs, maxKeys: 100_000 }),
    guesses: new RateLimit({ ...tools, limit: guessesAMinute, windowMs }),
  };
}
