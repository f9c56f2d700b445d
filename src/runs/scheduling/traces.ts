import { randomUUIDv7 } from "node:crypto";
import { isIP } from "node:net";
import type { Order } from "../../contract/order.ts";
import type { Outcome } from "../../contract/result.ts";
import { tracing } from "../../kinds/index.ts";
import { findFailedRun } from "../../kinds/kit/families/both-families.ts";
import type { Traced } from "../../kinds/kit/paths/compare-paths.ts";
import type { HopSamples, Path, PathTarget } from "../../kinds/kit/paths/path.ts";
import { fillRequest } from "../../kinds/kit/variables/variables.ts";
import type { ScheduleContext } from "./context.ts";
import { completeOrders, createOrder, isPrivatePlace, sendOrders } from "./orders.ts";
import type { TrialMessage } from "./trials/open-trials.ts";
import type { Watched } from "./watch-list.ts";

/** Additional time for the result of a trace after its deadline. */
const graceMs = 2_000;

/** Returns the IP address that a run used; `null` if its outcome contains none. */
function findAddress(outcome: Outcome | null): string | null {
  if (outcome?.kind !== "measured" && outcome?.kind !== "unreachable") return null;
  const found: unknown = outcome.kind === "measured" ? outcome.measurement : outcome.trouble;
  if (typeof found !== "object" || found === null || !("resolvedIp" in found)) return null;
  const { resolvedIp } = found;
  return typeof resolvedIp === "string" && isIP(resolvedIp) !== 0 ? resolvedIp : null;
}

/**
 * Returns the target of the packets that a check sends at a location: the IP address that the run
 * used, or else the host name. If the run used both IP families, the target is the address of the
 * failed family. Returns `null` if the check has no such target or if only a hidden variable
 * contains the target.
 */
export async function findPathTarget(
  context: ScheduleContext,
  watched: Watched,
  run: { readonly location: string; readonly outcome: Outcome | null },
): Promise<PathTarget | null> {
  const { kind } = watched;
  if (kind.pathTarget === undefined) return null;
  const order = await createOwnOrder(context, watched, run.location);
  if (order === null) return null;
  const open = (order.variables ?? []).filter(({ isHidden }) => !isHidden);
  const filled = fillRequest(kind.texts, order.request, open);
  if (filled === null) return null;
  const { request, outcome } =
    run.outcome === null
      ? { request: filled, outcome: null }
      : findFailedRun(kind, watched.settings, {
          request: filled,
          startedAtMs: order.startAtMs,
          outcome: run.outcome,
        });
  const target = kind.pathTarget(request);
  if (target === null) return null;
  const address = findAddress(outcome);
  if (address === null) return /[{}]/.test(target.hostname) ? null : target;
  return { ...target, hostname: address, ipFamily: isIP(address) === 6 ? "IPv6" : "IPv4" };
}

/**
 * Creates an order that contains everything the run needs, such as the values of variables. Returns
 * `null` if the order cannot be completed, for example because a value cannot be decrypted.
 */
async function createOwnOrder(
  context: ScheduleContext,
  watched: Watched,
  location: string,
): Promise<Order | null> {
  const nowMs = context.clock.now().getTime();
  const when = { location, dueAtMs: nowMs, attempt: 1, startAtMs: nowMs };
  const { complete } = await completeOrders(context, [createOrder(watched, when)]);
  return complete[0] ?? null;
}

export interface TraceRequest {
  readonly location: string;
  readonly target: PathTarget;
  /** Aborts the trace. An aborted trace has no path. */
  readonly signal: AbortSignal;
}

/** A network path with the round-trip times of each packet. */
export interface SampledPath {
  readonly path: Path;
  readonly samples: readonly HopSamples[];
}

/**
 * Traces the path from a location of the check to the target. The trace is a trial, so that nothing
 * is recorded. Returns `null` if there is no path, for example because the name does not resolve.
 * If the probe cannot trace, returns an explanation.
 */
export async function traceSamples(
  context: ScheduleContext,
  watched: Watched,
  { location, target, signal }: TraceRequest,
): Promise<SampledPath | { readonly trouble: string } | null> {
  const { kind, tracer } = tracing;
  const nowMs = context.clock.now().getTime();
  const request = tracer.toRequest(target);
  const order: Order = {
    runId: randomUUIDv7(),
    checkId: watched.checkId,
    accountId: watched.accountId,
    kind: kind.type,
    location,
    attempt: 1,
    dueAtMs: nowMs,
    startAtMs: nowMs,
    deadlineAtMs: nowMs + tracer.deadlineMs,
    request,
    isTrial: true,
    tellServer: context.serverId,
    ...(isPrivatePlace(watched, location) && { isPrivate: true }),
  };
  const outcome = await runTrial(context, order, { signal, limitMs: tracer.deadlineMs });
  if (outcome?.kind === "cannot-check") return { trouble: outcome.message };
  if (outcome?.kind !== "measured" || !kind.isMeasurement(outcome.measurement)) return null;
  const { measurement } = outcome;
  return { path: tracer.readPath(request, measurement), samples: tracer.readSamples(measurement) };
}

/** Traces the path like `traceSamples`, without the round-trip times of each packet. */
export async function tracePath(
  context: ScheduleContext,
  watched: Watched,
  request: TraceRequest,
): Promise<Traced | null> {
  const traced = await traceSamples(context, watched, request);
  return traced !== null && "path" in traced ? { path: traced.path } : traced;
}

/**
 * Repeats a failed run at its location while packets are captured. The repetition has the same run
 * id, so that the capture is stored for the failed run. The result of the repetition is discarded.
 * Returns whether the repetition was executed.
 */
export async function captureRun(
  context: ScheduleContext,
  watched: Watched,
  { runId, location, target, signal }: TraceRequest & { readonly runId: string },
): Promise<boolean> {
  const { hostname: address, protocol, port } = target;
  const own = isIP(address) === 0 ? null : await createOwnOrder(context, watched, location);
  if (own === null) return false;
  const { clock, serverId: tellServer } = context;
  const limitMs = own.deadlineAtMs - clock.now().getTime();
  const capture = { address, protocol, port };
  const order: Order = { ...own, runId, isTrial: true, tellServer, capture };
  const outcome = await runTrial(context, order, { signal, limitMs });
  return outcome?.kind === "measured" || outcome?.kind === "unreachable";
}

/** Sends an order as a trial and returns its outcome; `null` if no result arrived. */
async function runTrial(
  context: ScheduleContext,
  order: Order,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<Outcome | null> {
  const trial = context.trials.open(order.runId, limitMs + graceMs);
  const cancel = () => context.trials.cancel(order.runId);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const ended = new Promise<Outcome | null>((resolve) => {
      trial.on("message", (message: TrialMessage) => {
        if (message.kind === "result") resolve(message.result.outcome);
        else if (message.kind === "timed-out") resolve(null);
      });
    });
    if (signal.aborted) cancel();
    else await sendOrders(context, [order], order.dueAtMs);
    return await ended;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
