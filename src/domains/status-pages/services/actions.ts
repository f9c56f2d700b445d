import { randomUUIDv7 } from "node:crypto";
import { conflict, notFound } from "../../../platform/errors.ts";
import { assertMatch } from "../../../platform/http/entity-tag.ts";
import { type Caller, createOnce, writeAuditEntry } from "../../accounts/index.ts";
import type { StatusPagesContext } from "../context.ts";
import type { Service } from "../status-page.ts";
import { toWireService } from "./schema.ts";
import {
  countServices,
  deleteService,
  findCheckThatTriggers,
  findService,
  insertService,
  listServices,
  lockService,
  type ServicesQuery,
  updateService,
} from "./store.ts";

/** So that a list of all of them is never cut short. */
const maxServices = 1_000;

export async function createService(
  context: StatusPagesContext,
  caller: Caller,
  wish: { readonly name: string; readonly idempotencyKey: string | undefined },
): Promise<Service> {
  const at = context.clock.now();
  const id = randomUUIDv7();
  const { name, idempotencyKey: key } = wish;
  return context.db.transaction().execute(async (db) => {
    const once = { key, operation: "service.created", body: { name }, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      if ((await countServices(db, caller.accountId)) >= maxServices) {
        throw conflict(`an account has at most ${maxServices} services; delete one first`);
      }
      await insertService(db, caller.accountId, { id, name, createdAt: at });
      const note = { action: "service.created", targetId: id, changes: { name }, at };
      await writeAuditEntry(db, caller, note);
    });
    const service = await findService(db, caller.accountId, targetId);
    if (service === null) throw conflict("what this Idempotency-Key created has been deleted");
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

export function listOwnServices(
  context: StatusPagesContext,
  caller: Caller,
  query: ServicesQuery,
): Promise<Service[]> {
  return listServices(context.db, caller.accountId, query);
}

export function listAllServices(
  context: Pick<StatusPagesContext, "db">,
  caller: Caller,
): Promise<Service[]> {
  return listServices(context.db, caller.accountId, { limit: maxServices });
}

export async function changeService(
  context: StatusPagesContext,
  caller: Caller,
  change: { readonly id: string; readonly name: string; readonly ifMatch: string | undefined },
): Promise<Service> {
  const at = context.clock.now();
  return context.db.transaction().execute(async (db) => {
    const before = await lockService(db, caller.accountId, change.id);
    if (before === null) throw notFound();
    assertMatch(change.ifMatch, toWireService(before));
    const service = { ...before, name: change.name, updatedAt: at };
    await updateService(db, caller.accountId, service);
    const changes = { name: change.name, before: before.name };
    const note = { action: "service.updated", targetId: before.id, changes, at };
    await writeAuditEntry(db, caller, note);
    return service;
  });
}

export async function removeService(
  context: StatusPagesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await context.db.transaction().execute(async (db) => {
    const service = await lockService(db, caller.accountId, id);
    if (service === null) throw notFound();
    const check = await findCheckThatTriggers(db, caller.accountId, service.id);
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
