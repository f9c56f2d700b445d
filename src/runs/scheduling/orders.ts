import { chooseCertificate } from "../../checks/client-certificates/index.ts";
import type { ProbeDirectory } from "../../checks/locations/index.ts";
import { defaultRuntime } from "../../checks/runtimes/index.ts";
import { addUsedSnippets } from "../../checks/snippets/index.ts";
import { isHidden, openValue } from "../../checks/variables/index.ts";
import type { ClientCertificate, Order, OrderVariable } from "../../contract/order.ts";
import { builtInRoute, subjects } from "../../contract/protocol.ts";
import type { NoData, Result } from "../../contract/result.ts";
import type { ClientCertificateNeed } from "../../kinds/kit/definition.ts";
import { fillRequest, fillVariables, receivesAll } from "../../kinds/kit/variables/variables.ts";
import { MessageTooBigError } from "../../platform/bus.ts";
import { deriveRunId } from "../results/index.ts";
import type { ScheduleContext } from "./context.ts";
import { chooseLocations, runNumberOf } from "./schedule.ts";
import { listNames, noteNames, type Watched } from "./watch-list.ts";

type ValuesContext = Pick<
  ScheduleContext,
  "db" | "watchList" | "accountVariables" | "accountCertificates" | "encryption" | "log"
>;

interface CompletedOrders {
  readonly complete: readonly Order[];
  /** Orders that cannot be executed, each with the reason. */
  readonly faults: readonly { readonly order: Order; readonly fault: NoData }[];
}

/** Error for a value that cannot be used, such as a secret that cannot be decrypted. */
class UnusableValue extends Error {}

/**
 * Adds the values that orders need from the database, such as variables and secrets. This happens
 * as late as possible, so that changed values apply from the next run on and stored orders contain
 * no secrets.
 */
export async function completeOrders(
  context: ValuesContext,
  orders: readonly Order[],
  unsaved: readonly Watched[] = [],
): Promise<CompletedOrders> {
  const incomplete = orders.filter(({ isIncomplete }) => isIncomplete);
  if (incomplete.length === 0) return { complete: orders, faults: [] };
  const complete = orders.filter(({ isIncomplete }) => !isIncomplete);
  const faults: { order: Order; fault: NoData }[] = [];
  const unsavedById = new Map(unsaved.map((watched) => [watched.checkId, watched]));
  const missing = incomplete.map(({ checkId }) => checkId).filter((id) => !unsavedById.has(id));
  const stored = missing.length === 0 ? unsavedById : await context.watchList.find(missing);
  // If the database does not respond, every order waits for a timeout. Completing the orders
  // concurrently makes these timeouts overlap.
  const attempts = incomplete.map(async ({ isIncomplete: _isIncomplete, ...order }) => {
    const watched = unsavedById.get(order.checkId) ?? stored.get(order.checkId);
    // The check may have been deleted since the order was created.
    if (watched === undefined) return;
    try {
      complete.push(await completeOrder(context, watched, order));
    } catch (error) {
      faults.push({ order, fault: explainFault(context, order, error) });
    }
  });
  await Promise.all(attempts);
  return { complete, faults };
}

function explainFault({ log }: ValuesContext, { checkId }: Order, error: unknown): NoData {
  if (error instanceof UnusableValue) return { kind: "cannot-check", message: error.message };
  log.error({ err: error, checkId }, "could not load the values of an order");
  const message = "The variables of this check could not be loaded.";
  return { kind: "cannot-check", message };
}

async function completeOrder(
  context: ValuesContext,
  watched: Watched,
  order: Order,
): Promise<Order> {
  const { kind, accountId } = watched;
  const { request: written, secrets } = takeSecrets(context, watched, order.request);
  const { request, fault } = await addUsedSnippets(context.db, accountId, kind.snippets, written);
  if (fault !== null) throw new UnusableValue(fault);
  const names = new Set(listNames(kind, request));
  if (receivesAll(kind, request)) await addAllNames(context, watched, names);
  for (const { value } of secrets) noteNames(value, names);
  for (const { name } of secrets) names.delete(name);
  const variables = await findVariables(context, watched, order, names);
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  // Secrets such as passwords may contain variables.
  const filled = secrets.map((secret) => ({
    ...secret,
    value: fillVariables(secret.value, (name) => values.get(name)),
  }));
  const all = [...variables, ...filled];
  const sent = kind.clientCertificateFor ? fillRequest(kind.texts, request, all) : null;
  const need = sent === null ? null : kind.clientCertificateFor?.(sent);
  const clientCertificate = need ? await findCertificate(context, accountId, need) : null;
  return {
    ...order,
    request,
    ...(all.length > 0 && { variables: all }),
    ...(clientCertificate !== null && { clientCertificate }),
  };
}

async function addAllNames(
  { accountVariables }: ValuesContext,
  { accountId, variables }: Watched,
  names: Set<string>,
): Promise<void> {
  for (const name of builtInNames) names.add(name);
  for (const name of (await accountVariables.find(accountId)).keys()) names.add(name);
  for (const { key } of variables) names.add(key);
}

/**
 * Decrypts the secrets of the check. Replaces them in the request with hidden variables, so that
 * the result of the run does not contain the secrets. The names of hidden variables never conflict
 * with those of users, because users cannot choose them.
 */
function takeSecrets({ encryption }: ValuesContext, { kind }: Watched, sealed: unknown) {
  const secrets: OrderVariable[] = [];
  if (kind.secrets === undefined) return { request: sealed, secrets };
  const request = kind.secrets.mapRequest(sealed, (text) => {
    if (text === "") return text;
    const value = encryption.tryDecrypt(text);
    if (value === null) throw new UnusableValue(writeUnreadable("A secret of this check"));
    const name = `$secret${secrets.length}`;
    secrets.push({ name, value, isHidden: true });
    return `{{${name}}}`;
  });
  return { request, secrets };
}

function writeUnreadable(what: string): string {
  return `${what} cannot be decrypted with this server's encryption key. Enter it again.`;
}

/**
 * Finds variables by name. Variables of the check take precedence over those of its group, and
 * variables of the group over those of the account.
 */
async function findVariables(
  context: ValuesContext,
  watched: Watched,
  order: Order,
  names: ReadonlySet<string>,
): Promise<OrderVariable[]> {
  if (names.size === 0) return [];
  const ofAccount = await context.accountVariables.find(watched.accountId);
  const builtIn: Readonly<Record<string, string>> = listBuiltIn(watched, order);
  return [...names].flatMap((name): OrderVariable[] => {
    const stored = watched.variables.find(({ key }) => key === name) ?? ofAccount.get(name);
    if (stored === undefined) {
      if (!Object.hasOwn(builtIn, name)) return [];
      return [{ name, value: builtIn[name] ?? "", isHidden: false }];
    }
    const value = openValue(stored, context.encryption);
    if (value === null) throw new UnusableValue(writeUnreadable(`The variable ${name}`));
    return [{ name, value, isHidden: isHidden(stored) }];
  });
}

const builtInNames = [
  ...["ACCOUNT_ID", "CHECK_ID", "CHECK_NAME", "CHECK_RESULT_ID", "CHECK_TYPE"],
  ...["GROUP_NAME", "REGION", "RUNTIME_VERSION"],
] as const;

/**
 * Lists the built-in variables of a run. A user-defined variable of the same name has precedence.
 */
function listBuiltIn(
  { accountId, checkId, kind, settings, groupName }: Watched,
  { runId, location }: Order,
): Readonly<Record<(typeof builtInNames)[number], string>> {
  return {
    ACCOUNT_ID: accountId,
    CHECK_ID: checkId,
    CHECK_NAME: settings.name,
    CHECK_RESULT_ID: runId,
    CHECK_TYPE: kind.type,
    GROUP_NAME: groupName ?? "",
    REGION: location,
    RUNTIME_VERSION: settings.runtimeId ?? defaultRuntime.name,
  };
}

/**
 * Finds the client certificate for a request. A certificate that the check references must exist; a
 * certificate that matches the host is optional.
 */
async function findCertificate(
  { accountCertificates, encryption }: ValuesContext,
  accountId: string,
  need: ClientCertificateNeed,
): Promise<ClientCertificate | null> {
  const records = await accountCertificates.find(accountId);
  const record =
    "id" in need
      ? (records.find(({ id }) => id === need.id) ?? null)
      : chooseCertificate(records, need.host);
  if (record === null) {
    if ("host" in need) return null;
    throw new UnusableValue("The client certificate of this check does not exist.");
  }
  const { host, certificate, ca, sealedKey } = record;
  const key = encryption.tryDecrypt(sealedKey);
  if (key === null) {
    throw new UnusableValue(writeUnreadable(`The client certificate for ${host}`));
  }
  return { host, certificate, key, ca };
}

interface OrderTime {
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

/** Creates the result of a run without data. `outcome` contains the reason. */
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

/** Whether the built-in probe of this process executes the runs of the check at the location. */
export function isRunHere(directory: ProbeDirectory, watched: Watched, location: string): boolean {
  if (!directory.isBuiltInHere) return false;
  return directory.routeOf(placeOf(watched, location)).route === builtInRoute;
}

/** Whether a probe outside of this process may run the check. */
export function isRemoteRun(directory: ProbeDirectory, watched: Watched): boolean {
  return watched.places.some((location) => directory.isRemote(placeOf(watched, location)));
}

/**
 * Sends orders to the probes of their locations. If a location has no probe, the run is recorded as
 * not executed. If the check of an order is not stored in the database, the caller passes the check
 * in `unsaved`.
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
        context.log.error(
          { err: error, location: route },
          "could not record the outcome of orders",
        ),
      );
    }
  }
  for (const { order, fault } of faults) results.push(createNoDataResult(order, fault, nowMs));
  await publishOwnResults(context, results);
}

/**
 * Sends orders to one route in the background, so that a full queue or a network outage of one
 * location does not delay other locations. Runs whose orders could not be sent are recorded without
 * data.
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
    log.warn({ err: error, location: route, orders: unsent.length }, "could not send orders");
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

/** Publishes results that this server created for runs that have no data. */
export async function publishOwnResults(
  context: ScheduleContext,
  results: readonly Result[],
): Promise<void> {
  const recorded = context.trials.takeResults(results);
  if (recorded.length > 0) await context.bus.publish(subjects.results, recorded);
}

/** Maps the checks whose orders go to a private location to their account ids. */
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
