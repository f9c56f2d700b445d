import type { Order, OrderVariable } from "../../contract/order.ts";
import type { NoData } from "../../contract/result.ts";
import { isHidden, openValue, type StoredVariable } from "../variables/index.ts";
import type { RunsContext } from "./context.ts";
import { listNames } from "./request-needs.ts";
import type { Watched } from "./watch-list.ts";

type ValuesContext = Pick<RunsContext, "watchList" | "accountVariables" | "encryption" | "log">;

/** An order, or why it cannot be carried out. */
type Completed =
  | { readonly order: Order; readonly fault: null }
  | { readonly order: Order; readonly fault: NoData };

export interface CompletedOrders {
  readonly complete: readonly Order[];
  readonly faults: readonly { readonly order: Order; readonly fault: NoData }[];
}

/**
 * Puts in what orders need from the database: as late as this, so that a change counts from the
 * next run on, and so that none of it is stored with an order.
 */
export async function completeOrders(
  context: ValuesContext,
  orders: readonly Order[],
): Promise<CompletedOrders> {
  const incomplete = orders.filter(({ isIncomplete }) => isIncomplete);
  if (incomplete.length === 0) return { complete: orders, faults: [] };
  const complete = orders.filter(({ isIncomplete }) => !isIncomplete);
  const faults: { order: Order; fault: NoData }[] = [];
  for (const { order, fault } of await completeAll(context, incomplete)) {
    if (fault === null) complete.push(order);
    else faults.push({ order, fault });
  }
  return { complete, faults };
}

/** The same for the order of a check that is not stored. */
export async function completeUnsaved(
  context: ValuesContext,
  watched: Watched,
  order: Order,
): Promise<CompletedOrders> {
  if (!order.isIncomplete) return { complete: [order], faults: [] };
  const { order: completed, fault } = await completeOrder(context, watched, order);
  if (fault === null) return { complete: [completed], faults: [] };
  return { complete: [], faults: [{ order: completed, fault }] };
}

async function completeAll(context: ValuesContext, orders: readonly Order[]): Promise<Completed[]> {
  try {
    const found = await context.watchList.find(orders.map(({ checkId }) => checkId));
    const completed = orders.map(async (order) => {
      const watched = found.get(order.checkId);
      // The check was deleted meanwhile.
      return watched === undefined ? [] : [await completeOrder(context, watched, order)];
    });
    return (await Promise.all(completed)).flat();
  } catch (error) {
    // Orders that need nothing must not wait for a database that does not answer.
    context.log.error({ err: error }, "what orders need could not be read");
    const message = "The variables of this check could not be read.";
    return orders.map((order) => ({ order, fault: { kind: "cannot-check", message } }));
  }
}

async function completeOrder(
  context: ValuesContext,
  watched: Watched,
  { isIncomplete: _isIncomplete, ...order }: Order,
): Promise<Completed> {
  const names = listNames(watched.kind, order.request);
  const ofAccount = await context.accountVariables.find(watched.accountId);
  const variables: OrderVariable[] = [];
  for (const name of names) {
    const stored = watched.variables.find(({ key }) => key === name) ?? ofAccount.get(name);
    const variable = stored ? openVariable(context, stored) : findBuiltIn(name, watched, order);
    if (variable === undefined) continue;
    if (variable.value === null) return { order, fault: explainUnreadable(name) };
    variables.push({ name, ...variable, value: variable.value });
  }
  return { order: { ...order, variables }, fault: null };
}

function openVariable({ encryption }: ValuesContext, stored: StoredVariable) {
  return { value: openValue(stored, encryption), isHidden: isHidden(stored) };
}

function explainUnreadable(name: string): NoData {
  const message =
    `The variable ${name} cannot be read with the encryption key of this server. ` +
    "Enter it again.";
  return { kind: "cannot-check", message };
}

/** What every run knows of itself, unless somebody gave the name another meaning. */
function findBuiltIn(name: string, watched: Watched, { location }: Order) {
  const { accountId, checkId, kind, settings, groupName } = watched;
  const values = new Map([
    ["ACCOUNT_ID", accountId],
    ["CHECK_ID", checkId],
    ["CHECK_NAME", settings.name],
    ["CHECK_TYPE", kind.type],
    ["GROUP_NAME", groupName ?? ""],
    ["REGION", location],
  ]);
  const value = values.get(name);
  return value === undefined ? undefined : { value, isHidden: false };
}
