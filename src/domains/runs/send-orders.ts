import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { builtInRoute } from "../locations/index.ts";
import { type RunsContext, subjects } from "./context.ts";
import { completeOrders } from "./order-values.ts";
import { createNoDataResult } from "./orders.ts";
import type { Watched } from "./watch-list.ts";

/**
 * To the probes that serve the place; where there are none, the run is recorded as not made. The
 * checks are given if they are not stored: then nobody else knows what their orders need.
 */
export async function sendOrders(
  context: RunsContext,
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
    await context.bus.publish(
      subjects.ordersOf(route),
      needsTag(context, route) ? group.map((order) => context.tags.sign(order, route)) : group,
    );
  }
  for (const { order, fault } of faults) results.push(createNoDataResult(order, fault, nowMs));
  await publishOwnResults(context, results);
}

/** What stays in this process crosses no boundary. */
function needsTag({ bus }: RunsContext, route: string): boolean {
  return route !== builtInRoute || bus.isDurable;
}

/** What a server says itself of runs that no probe made or answered for. */
export async function publishOwnResults(
  context: RunsContext,
  results: readonly Result[],
): Promise<void> {
  if (results.length === 0) return;
  await context.bus.publish(
    subjects.results,
    needsTag(context, builtInRoute)
      ? results.map((result) => context.tags.signOwn(result))
      : results,
  );
}

/** Whose checks they are, of those orders where it matters. */
async function findAccounts(
  { directory, watchList }: RunsContext,
  orders: readonly Order[],
  unsaved: readonly Watched[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = new Map<string, string>();
  const asked = orders.filter(
    ({ location, isPrivate }) => isPrivate || directory.isPrivateName(location),
  );
  if (asked.length === 0) return accounts;
  for (const { checkId, accountId } of unsaved) accounts.set(checkId, accountId);
  const missing = asked.map(({ checkId }) => checkId).filter((id) => !accounts.has(id));
  for (const [id, { accountId }] of await watchList.find(missing)) accounts.set(id, accountId);
  return accounts;
}
