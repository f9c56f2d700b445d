import type { ClientCertificate, Order, OrderVariable } from "../../contract/order.ts";
import type { NoData } from "../../contract/result.ts";
import type { ClientCertificateNeed } from "../../kinds/definition.ts";
import { fillRequest, fillVariables } from "../../kinds/variables/variables.ts";
import { chooseCertificate } from "../client-certificates/index.ts";
import { isHidden, openValue } from "../variables/index.ts";
import type { ScheduleContext } from "./context.ts";
import { listNames, noteNames, type Watched } from "./watch-list.ts";

type ValuesContext = Pick<
  ScheduleContext,
  "watchList" | "accountVariables" | "accountCertificates" | "encryption" | "log"
>;

export interface CompletedOrders {
  readonly complete: readonly Order[];
  /** Orders that cannot be executed, with the reason. */
  readonly faults: readonly { readonly order: Order; readonly fault: NoData }[];
}

/** A value that an order needs exists but cannot be used. */
class UnusableValue extends Error {}

/**
 * Adds the values that orders need from the database. Done as late as possible, so that changes
 * apply from the next run on and secrets are not stored with an order.
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
  // Concurrently, so that an unresponsive database causes a single timeout.
  const attempts = incomplete.map(async ({ isIncomplete: _isIncomplete, ...order }) => {
    const watched = unsavedById.get(order.checkId) ?? stored.get(order.checkId);
    // Undefined if the check was deleted in the meantime.
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
  const { request, secrets } = takeSecrets(context, watched, order.request);
  const names = new Set(listNames(kind, request));
  for (const { value } of secrets) noteNames(value, names);
  for (const { name } of secrets) names.delete(name);
  const variables = await findVariables(context, watched, order, names);
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  // A password may itself contain a variable.
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

/**
 * Decrypts the secrets of the check under names that no variable can have. The request references
 * them by these names, so that the result does not contain them.
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

/** Variables of the check take precedence over those of its group, and those over the account's. */
async function findVariables(
  context: ValuesContext,
  watched: Watched,
  order: Order,
  names: ReadonlySet<string>,
): Promise<OrderVariable[]> {
  if (names.size === 0) return [];
  const ofAccount = await context.accountVariables.find(watched.accountId);
  const builtIn = listBuiltIn(watched, order);
  return [...names].flatMap((name): OrderVariable[] => {
    const stored = watched.variables.find(({ key }) => key === name) ?? ofAccount.get(name);
    if (stored === undefined) {
      const value = builtIn.get(name);
      return value === undefined ? [] : [{ name, value, isHidden: false }];
    }
    const value = openValue(stored, context.encryption);
    if (value === null) throw new UnusableValue(writeUnreadable(`The variable ${name}`));
    return [{ name, value, isHidden: isHidden(stored) }];
  });
}

/** Built-in variables of a run; user-defined variables with the same name take precedence. */
function listBuiltIn(watched: Watched, { location }: Order): ReadonlyMap<string, string> {
  const { accountId, checkId, kind, settings, groupName } = watched;
  return new Map([
    ["ACCOUNT_ID", accountId],
    ["CHECK_ID", checkId],
    ["CHECK_NAME", settings.name],
    ["CHECK_TYPE", kind.type],
    ["GROUP_NAME", groupName ?? ""],
    ["REGION", location],
  ]);
}

/**
 * Finds the client certificate for a host, which is optional, or the one that the check references,
 * which must exist.
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
