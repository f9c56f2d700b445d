import { randomUUIDv7 } from "node:crypto";
import {
  type Caller,
  createOnce,
  IdempotencyHeaders,
  writeAuditEntry,
} from "../../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import { assertMatch, IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { listOwnServiceIds, releaseServices } from "../components/store.ts";
import type { ServicesContext, StatusPagesContext } from "../context.ts";
import type { Service } from "../status-page.ts";
import {
  type FollowingService,
  FollowingServiceSchema,
  type Follows,
  type FollowsInput,
  normaliseFollows,
  ServiceBody,
  ServiceList,
  ServiceParams,
  ServiceQuery,
  tagService,
  toWireFollowingService,
} from "./schema.ts";
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

/**
 * Deletes services that components of a page created. If `only` is present, deletes at most the
 * service with this id. A service is kept if another page shows it or a check opens incidents for
 * it. If `only` is absent, the kept services are detached from the page, so that they survive the
 * deletion of the page.
 */
export async function removeOwnServices(
  { checksOfServices }: Pick<ServicesContext, "checksOfServices">,
  db: Database,
  page: { readonly accountId: string; readonly pageId: string; readonly only?: string },
): Promise<void> {
  const { accountId, pageId, only } = page;
  const own = await listOwnServiceIds(db, accountId, pageId);
  const unused: string[] = [];
  for (const id of only === undefined ? own : own.filter((one) => one === only)) {
    const check = await checksOfServices.findThatTriggers(db, accountId, id);
    if (check === null) unused.push(id);
  }
  for (const id of unused) await deleteService(db, accountId, id);
  if (only === undefined) await releaseServices(db, accountId, pageId);
}

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

/** Inserts a service; throws a conflict if the account has too many. */
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

interface ServiceInput {
  readonly name: string;
  /** Checks and tags to follow. If absent, nothing changes; a new service follows nothing. */
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

async function getFollowingService(
  context: StatusPagesContext,
  caller: Caller,
  id: string,
): Promise<FollowingService> {
  const service = await complete(context.db, await getService(context, caller, id));
  if (service === undefined) throw notFound();
  return service;
}

async function listOwnServices(
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

const tags = ["Services"];

export function addServiceRoutes(server: HttpServer, context: ServicesContext): void {
  server.post(
    "/v1/status-pages/services",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createService",
        summary: "Create a service",
        description:
          "A service is what status pages show and incidents affect. Its name is unique in the " +
          "account.",
        headers: IdempotencyHeaders,
        body: ServiceBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: FollowingServiceSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const input = { ...body, idempotencyKey: headers["idempotency-key"] };
      const service = await createService(context, caller, input);
      const answer = toWireFollowingService(service);
      return reply.code(201).send(sendTagged(reply, tagService(service), answer));
    },
  );
  server.get(
    "/v1/status-pages/services",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listServices",
        summary: "List services",
        description:
          "Paginated: pass `nextId` of the response to fetch the next page. With " +
          "`paginated=false`, returns all services as a plain array.",
        querystring: ServiceQuery,
        response: answers({ 200: ServiceList }),
      },
    },
    async ({ caller, query }) => {
      const { limit, nextId } = query;
      if (!query.paginated)
        return (await listAllServices(context, caller)).map(toWireFollowingService);
      const found = await listOwnServices(context, caller, { limit: limit + 1, nextId });
      return toCursorPage(found.map(toWireFollowingService), limit);
    },
  );
  server.get(
    "/v1/status-pages/services/:serviceId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getService",
        summary: "Get a service",
        description: "The response has an `ETag`, which an update can send as `If-Match`.",
        params: ServiceParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: FollowingServiceSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const service = await getFollowingService(context, caller, params.serviceId);
      return sendTagged(reply, tagService(service), toWireFollowingService(service));
    },
  );
  server.put(
    "/v1/status-pages/services/:serviceId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateService",
        summary: "Change the name or the followed checks of a service",
        description:
          "If `follows` is omitted, it is not changed. With `If-Match`, a change made since then " +
          "causes 412.",
        params: ServiceParams,
        headers: IfMatchHeaders,
        body: ServiceBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: FollowingServiceSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { ...body, id: params.serviceId, ifMatch: headers["if-match"] };
      const service = await changeService(context, caller, change);
      return sendTagged(reply, tagService(service), toWireFollowingService(service));
    },
  );
  server.delete(
    "/v1/status-pages/services/:serviceId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteService",
        summary: "Delete a service and remove it from cards and incidents",
        description: "Rejected with 409 while a check opens incidents for it.",
        params: ServiceParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeService(context, caller, params.serviceId);
      return reply.code(204).send(null);
    },
  );
}
