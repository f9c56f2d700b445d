import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { assertMatch } from "../../../platform/http/send.ts";
import { type Caller, createOnce, writeAuditEntry } from "../../accounts/index.ts";
import type { ServicesContext, StatusPagesContext } from "../context.ts";
import type { Service } from "../status-page.ts";
import {
  type FollowingService,
  type Follows,
  type FollowsInput,
  normaliseFollows,
} from "./follows.ts";
import { tagService } from "./schema.ts";
import {
  addFollows,
  countServices,
  deleteService,
  findService,
  insertService,
  listServices,
  lockService,
  replaceFollows,
  type ServicesQuery,
  updateService,
} from "./store.ts";

/** Maximum number of services per account, so that a list of all is never truncated. */
const maxServices = 1_000;

interface FollowsChange {
  readonly serviceId: string;
  readonly follows: Follows;
  readonly at: Date;
}

async function saveFollows(
  { checksOfServices }: ServicesContext,
  db: Database,
  accountId: string,
  change: FollowsChange,
): Promise<void> {
  const { checkIds } = change.follows;
  const existing = await checksOfServices.hold(db, accountId, checkIds);
  const index = checkIds.findIndex((id) => !existing.has(id));
  if (index >= 0) {
    const rule = `must be a check of this account; ${checkIds[index]} is not`;
    throw invalid(`follows.checkIds[${index}]`, rule);
  }
  await replaceFollows(db, accountId, change);
}

async function complete(
  db: Database,
  service: Service | null,
): Promise<FollowingService | undefined> {
  if (service === null) return undefined;
  return (await addFollows(db, service.accountId, [service]))[0];
}

/** Inserts a service unless the account has too many. */
export async function addService(
  db: Database,
  accountId: string,
  service: Pick<Service, "id" | "name" | "createdAt">,
): Promise<void> {
  await lockName(db, `services ${accountId}`);
  if ((await countServices(db, accountId)) >= maxServices) {
    throw conflict(`an account has at most ${maxServices} services; delete one first`);
  }
  await insertService(db, accountId, service);
}

export interface ServiceInput {
  readonly name: string;
  /** If absent, a new service follows nothing and an existing one is not changed. */
  readonly follows?: FollowsInput | undefined;
}

export async function createService(
  context: ServicesContext,
  caller: Caller,
  input: ServiceInput & { readonly idempotencyKey: string | undefined },
): Promise<FollowingService> {
  const at = context.clock.now();
  const id = randomUUIDv7();
  const { name, idempotencyKey: key } = input;
  const follows = input.follows && normaliseFollows(input.follows);
  const body = follows === undefined ? { name } : { name, follows };
  return inTransaction(context.db, async (db) => {
    const once = { key, operation: "service.created", body, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      await addService(db, caller.accountId, { id, name, createdAt: at });
      if (follows !== undefined) {
        await saveFollows(context, db, caller.accountId, { serviceId: id, follows, at });
      }
      const note = { action: "service.created", targetId: id, changes: body, at };
      await writeAuditEntry(db, caller, note);
    });
    const service = await complete(db, await findService(db, caller.accountId, targetId));
    if (service === undefined)
      throw conflict("the object created with this Idempotency-Key has been deleted");
    return service;
  });
}

export async function getService(
  context: Pick<StatusPagesContext, "db">,
  caller: Caller,
  id: string,
): Promise<Service> {
  const service = await findService(context.db, caller.accountId, id);
  if (service === null) throw notFound();
  return service;
}

export async function getFollowingService(
  context: StatusPagesContext,
  caller: Caller,
  id: string,
): Promise<FollowingService> {
  const service = await complete(context.db, await getService(context, caller, id));
  if (service === undefined) throw notFound();
  return service;
}

export async function listOwnServices(
  { db }: Pick<StatusPagesContext, "db">,
  { accountId }: Caller,
  query: ServicesQuery,
): Promise<FollowingService[]> {
  return addFollows(db, accountId, await listServices(db, accountId, query));
}

export function listAllServices(
  context: Pick<StatusPagesContext, "db">,
  caller: Caller,
): Promise<FollowingService[]> {
  return listOwnServices(context, caller, { limit: maxServices });
}

export async function changeService(
  context: ServicesContext,
  caller: Caller,
  change: ServiceInput & { readonly id: string; readonly ifMatch: string | undefined },
): Promise<FollowingService> {
  const { id, name } = change;
  const follows = change.follows && normaliseFollows(change.follows);
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await complete(db, await lockService(db, accountId, id));
    if (before === undefined) throw notFound();
    assertMatch(change.ifMatch, tagService(before));
    const service = { ...before, name, version: before.version + 1, updatedAt: at };
    await updateService(db, accountId, service);
    if (follows !== undefined)
      await saveFollows(context, db, accountId, { serviceId: id, follows, at });
    const changes = { name, before: before.name, ...(follows !== undefined && { follows }) };
    const note = { action: "service.updated", targetId: before.id, changes, at };
    await writeAuditEntry(db, caller, note);
    const [after] = await addFollows(db, accountId, [service]);
    if (after === undefined) throw notFound();
    return after;
  });
}

export async function removeService(
  context: ServicesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const service = await lockService(db, caller.accountId, id);
    if (service === null) throw notFound();
    const { findThatTriggers } = context.checksOfServices;
    const check = await findThatTriggers(db, caller.accountId, service.id);
    if (check !== null) {
      throw conflict(
        `the check "${check.name}" (${check.id}) opens incidents for this service; ` +
          "change its triggerIncident first",
      );
    }
    await deleteService(db, caller.accountId, service.id);
    const changes = { name: service.name };
    const note = { action: "service.deleted", targetId: service.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
