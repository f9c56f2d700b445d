import type { Order } from "../../contract/order.ts";
import { builtInRoute, subjects } from "../../contract/protocol.ts";
import type { NoData, Result } from "../../contract/result.ts";
import { MessageTooBigError } from "../../platform/bus.ts";
import type { ProbeDirectory } from "../locations/index.ts";
import { deriveRunId } from "../results/index.ts";
import type { ScheduleContext } from "./context.ts";
import { completeOrders } from "./order-values.ts";
import { chooseLocations, runNumberOf } from "./schedule.ts";
import type { Watched } from "./watch-list.ts";

export interface OrderTime {
  readonly location: string;
  readonly dueAtMs: number;
  readonly attempt: number;
  readonly startAtMs: number;
}

export function createOrder(watched: Watched, when: OrderTime): Order {
  const { checkId, accountId, kind, settings } = watched;
  const { location, dueAtMs, attempt, startAtMs } = when;
  return {
    runId: deriveRunId({ checkId, dueAtMs, location, attempt }),
    checkId,
    accountId,
    kind: kind.type,
    location,
    attempt,
    dueAtMs,
    startAtMs,
    deadlineAtMs: startAtMs + kind.deadlineMs(settings),
    request: kind.toRequest(settings),
    ...(watched.needsValues && { isIncomplete: true }),
    ...(isPrivatePlace(watched, location) && { isPrivate: true }),
  };
}

export function isPrivatePlace({ settings }: Watched, location: string): boolean {
  const { locations, privateLocations } = settings;
  return privateLocations.includes(location) && !locations?.includes(location);
}

/** Creates the result of a run that no probe executed or answered. */
export function createNoDataResult(order: Order, outcome: NoData, nowMs: number): Result {
  const { runId, checkId, kind, location, attempt, dueAtMs, request } = order;
  return {
    runId,
    checkId,
    kind,
    location,
    attempt,
    dueAtMs,
    request,
    startedAtMs: nowMs,
    stoppedAtMs: nowMs,
    probeId: "none",
    outcome,
  };
}

/** Returns the locations of the run that is due at the given time. */
export function chooseRunLocations(watched: Watched, dueAtMs: number): readonly string[] {
  const { checkId, plan, places, settings } = watched;
  const runNumber = runNumberOf(plan, dueAtMs);
  const { runParallel } = settings;
  return chooseLocations({ checkId, runNumber, locations: places, runParallel });
}

/** Creates the orders of the first attempt of a run. */
export function createRunOrders(
  watched: Watched,
  dueAtMs: number,
  locations: readonly string[],
): Order[] {
  return locations.map((location) =>
    createOrder(watched, { location, dueAtMs, attempt: 1, startAtMs: dueAtMs }),
  );
}

function placeOf(watched: Watched, location: string) {
  const isPrivate = isPrivatePlace(watched, location);
  return { accountId: watched.accountId, location, isPrivate };
}

/** Whether the probe in this process executes runs of the check at the location. */
export function isRunHere(directory: ProbeDirectory, watched: Watched, location: string): boolean {
  if (!directory.isBuiltInHere) return false;
  return directory.routeOf(placeOf(watched, location)).route === builtInRoute;
}

/** Whether results of the check may come from outside this process. */
export function isRemoteRun(directory: ProbeDirectory, watched: Watched): boolean {
  return watched.places.some((location) => directory.isRemote(placeOf(watched, location)));
}

/**
 * Sends orders to the probes of their locations. If a location has no probe, the run is recorded as
 * not executed. `unsaved` contains checks that are not stored, which therefore cannot be looked up.
 */
export async function sendOrders(
  context: ScheduleContext,
  orders: readonly Order[],
  nowMs: number,
  unsaved: readonly Watched[] = [],
): Promise<void> {
  const accounts = await findAccounts(context, orders, unsaved);
  const served: Order[] = [];
  const results: Result[] = [];
  for (const order of orders) {
    const { checkId, location, isPrivate = false } = order;
    const accountId = accounts.get(checkId) ?? null;
    const found = context.directory.routeOf({ accountId, location, isPrivate });
    if (found.route === null) {
      const fault = { kind: "no-probe", message: found.message } as const;
      results.push(createNoDataResult(order, fault, nowMs));
    } else served.push(found.route === builtInRoute ? order : { ...order, route: found.route });
  }
  const { complete, faults } = await completeOrders(context, served, unsaved);
  for (const [route, group] of Map.groupBy(complete, ({ route }) => route ?? builtInRoute)) {
    const staysHere = route === builtInRoute && context.directory.isBuiltInHere;
    const ready = staysHere ? group : group.map((order) => context.tags.sign(order, route));
    for (const order of ready) if (order.isTrial) context.trials.noteOrder(order, route);
    if (staysHere) await context.bus.publish(subjects.ordersOf(route), ready);
    else {
      sendAway(context, route, ready).catch((error) =>
        context.log.error({ err: error, route }, "could not record the outcome of orders"),
      );
    }
  }
  for (const { order, fault } of faults) results.push(createNoDataResult(order, fault, nowMs));
  await publishOwnResults(context, results);
}

/**
 * Sends orders in the background, so that a full queue or a network outage of one location does not
 * block others. Orders that cannot be sent before their deadline are recorded as unanswered.
 */
async function sendAway(
  context: ScheduleContext,
  route: string,
  orders: readonly Order[],
): Promise<void> {
  const { bus, clock, log, scheduleMetrics } = context;
  const lastMs = Math.max(...orders.map(({ deadlineAtMs }) => deadlineAtMs));
  const signal = AbortSignal.timeout(Math.max(1, lastMs - clock.now().getTime()));
  const idOf = ({ runId }: Order) => runId;
  try {
    await bus.publish(subjects.ordersOf(route), orders, { signal, idOf });
  } catch (error) {
    const unsent =
      error instanceof MessageTooBigError ? error.places.flatMap((at) => orders[at] ?? []) : orders;
    log.warn({ err: error, route, orders: unsent.length }, "could not send orders");
    scheduleMetrics.unsentOrders.inc(unsent.length);
    const fault = explainUnsent(error);
    const nowMs = clock.now().getTime();
    await publishOwnResults(
      context,
      unsent.map((order) => createNoDataResult(order, fault, nowMs)),
    );
  }
}

function explainUnsent(error: unknown): NoData {
  if (error instanceof MessageTooBigError) {
    const message = `The order exceeds the limit of ${error.maxBytes} bytes.`;
    return { kind: "cannot-check", message };
  }
  const message = "The order could not be sent in time: NATS is unreachable or its queue is full.";
  return { kind: "no-answer", message };
}

/**
 * Publishes results that the server creates itself, for runs that no probe executed or answered.
 */
export async function publishOwnResults(
  context: ScheduleContext,
  results: readonly Result[],
): Promise<void> {
  const recorded = context.trials.takeResults(results);
  if (recorded.length > 0) await context.bus.publish(subjects.results, recorded);
}

/** Returns the accounts of the checks whose location is private. */
async function findAccounts(
  { directory, watchList }: ScheduleContext,
  orders: readonly Order[],
  unsaved: readonly Watched[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = new Map<string, string>();
  const privateOrders = orders.filter(
    ({ location, isPrivate }) => isPrivate || directory.isPrivateName(location),
  );
  if (privateOrders.length === 0) return accounts;
  for (const { checkId, accountId } of unsaved) accounts.set(checkId, accountId);
  const missing = privateOrders.map(({ checkId }) => checkId).filter((id) => !accounts.has(id));
  for (const [id, { accountId }] of await watchList.find(missing)) accounts.set(id, accountId);
  return accounts;
}
