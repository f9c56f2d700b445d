import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { getStatusPage } from "../actions.ts";
import { maxServicesPerPage } from "../cards.ts";
import type { ServicesContext } from "../context.ts";
import { StatusPageParams } from "../schema.ts";
import { addService, removeOwnServices } from "../services/services.ts";
import { renameService } from "../services/store.ts";
import type { StatusPage } from "../status-page.ts";
import { findStatusPageById, lockStatusPage } from "../store.ts";
import {
  type Component,
  type ComponentInput,
  findComponentFault,
  listComponents,
  maxComponents,
} from "./component.ts";
import {
  ComponentBody,
  ComponentList,
  ComponentParams,
  ComponentQuery,
  ComponentSchema,
  fromWireComponent,
  toWireComponent,
} from "./schema.ts";
import {
  claimService,
  deleteGroup,
  deletePlace,
  ensureUngroupedCard,
  moveServices,
  saveGroup,
  savePlace,
  settleUngroupedCard,
  touchPage,
} from "./store.ts";

interface Place {
  readonly statusPageId: string;
  readonly id: string;
}

async function lockPage(db: Database, accountId: string, id: string): Promise<StatusPage> {
  const page = await lockStatusPage(db, accountId, id);
  if (page === null) throw notFound();
  return page;
}

function pickComponent(page: StatusPage, id: string): Component {
  const found = listComponents(page).find((one) => one.id === id.toLowerCase());
  if (found === undefined) throw notFound();
  return found;
}

function assertFits(page: StatusPage, input: ComponentInput, before: Component | null): void {
  const fault = findComponentFault(page, input, before);
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

function assertRoom(page: StatusPage, { type }: ComponentInput): void {
  const all = listComponents(page);
  const services = all.filter((one) => one.type === "SERVICE").length;
  if (type === "SERVICE" && services >= maxServicesPerPage) {
    throw conflict(`a page has at most ${maxServicesPerPage} services; delete one first`);
  }
  if (all.length >= maxComponents) {
    throw conflict(`a page has at most ${maxComponents} components; delete one first`);
  }
}

/** Completes a change of the page, reads the page and returns the component. */
async function finish(
  db: Database,
  accountId: string,
  place: Place & { readonly at: Date },
): Promise<Component> {
  const { statusPageId, id, at } = place;
  await settleUngroupedCard(db, accountId, statusPageId);
  await touchPage(db, accountId, { id: statusPageId, at });
  const page = await findStatusPageById(db, accountId, statusPageId);
  if (page === null) throw notFound();
  return pickComponent(page, id);
}

/** Stores the component of a service on the card of its group. */
async function placeService(
  db: Database,
  page: StatusPage,
  place: { readonly id: string; readonly serviceId: string; readonly input: ComponentInput },
  at: Date,
): Promise<void> {
  const { id, serviceId, input } = place;
  const { accountId, id: pageId } = page;
  const cardId =
    input.parentId ??
    (await ensureUngroupedCard(db, accountId, { id: randomUUIDv7(), pageId, at }));
  const other = page.cards.find((card) => card.id === cardId)?.services;
  if (other?.some((one) => one.id === serviceId && one.componentId !== id)) {
    throw invalid("parentId", "already shows this service");
  }
  await savePlace(db, accountId, { id, cardId, serviceId, look: input.look });
}

async function listOwnComponents(
  context: ServicesContext,
  caller: Caller,
  statusPageId: string,
): Promise<Component[]> {
  return listComponents(await getStatusPage(context, caller, statusPageId));
}

async function getComponent(
  context: ServicesContext,
  caller: Caller,
  { statusPageId, id }: Place,
): Promise<Component> {
  return pickComponent(await getStatusPage(context, caller, statusPageId), id);
}

/**
 * Creates a component. For a service, also creates the service, which is deleted with the component
 * unless something else uses it.
 */
export async function createComponent(
  context: ServicesContext,
  caller: Caller,
  request: Place & { readonly input: ComponentInput },
): Promise<Component> {
  const { id, input } = request;
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const page = await lockPage(db, accountId, request.statusPageId);
    assertFits(page, input, null);
    assertRoom(page, input);
    const { name, type, look } = input;
    if (type === "GROUP") await saveGroup(db, accountId, { id, pageId: page.id, name, look, at });
    else {
      const serviceId = randomUUIDv7();
      await addService(db, accountId, { id: serviceId, name, createdAt: at });
      await claimService(db, accountId, { pageId: page.id, serviceId });
      await placeService(db, page, { id, serviceId, input }, at);
    }
    const changes = { name, type, statusPageId: page.id };
    const note = { action: "status-page-component.created", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
    return finish(db, accountId, { statusPageId: page.id, id, at });
  });
}

export async function changeComponent(
  context: ServicesContext,
  caller: Caller,
  change: Place & { readonly read: (before: Component) => ComponentInput },
): Promise<Component> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const page = await lockPage(db, accountId, change.statusPageId);
    const before = pickComponent(page, change.id);
    const { id, serviceId } = before;
    const input = change.read(before);
    assertFits(page, input, before);
    const { name, look } = input;
    if (serviceId === null) await saveGroup(db, accountId, { id, pageId: page.id, name, look, at });
    else {
      if (name !== before.name) await renameService(db, accountId, { id: serviceId, name, at });
      await placeService(db, page, { id, serviceId, input }, at);
    }
    const changes = { name, before: before.name, statusPageId: page.id };
    const note = { action: "status-page-component.updated", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
    return finish(db, accountId, { statusPageId: page.id, id, at });
  });
}

/** Deletes a component. The services of a deleted group stay on the page without a group. */
export async function removeComponent(
  context: ServicesContext,
  caller: Caller,
  { statusPageId, id }: Place,
): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const page = await lockPage(db, accountId, statusPageId);
    const component = pickComponent(page, id);
    if (component.serviceId === null) {
      const hasServices = listComponents(page).some(({ parentId }) => parentId === component.id);
      if (hasServices) {
        const card = { id: randomUUIDv7(), pageId: page.id, at };
        const to = await ensureUngroupedCard(db, accountId, card);
        await moveServices(db, accountId, { from: component.id, to });
      }
      await deleteGroup(db, accountId, component.id);
    } else {
      await deletePlace(db, accountId, component.id);
      const { serviceId } = component;
      const isElsewhere = listComponents(page).some(
        (one) => one.serviceId === serviceId && one.id !== component.id,
      );
      if (!isElsewhere) {
        await removeOwnServices(context, db, { accountId, pageId: page.id, only: serviceId });
      }
    }
    await settleUngroupedCard(db, accountId, page.id);
    await touchPage(db, accountId, { id: page.id, at });
    const changes = { name: component.name, statusPageId: page.id };
    const note = { action: "status-page-component.deleted", targetId: component.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

const tags = ["Status page components"];

/** Returns the items starting at the given id, to page through a list that is in memory. */
export function startAt<Item extends { readonly id: string }>(
  items: readonly Item[],
  nextId: string | undefined,
): readonly Item[] {
  if (nextId === undefined) return items;
  const index = items.findIndex(({ id }) => id === nextId.toLowerCase());
  return index < 0 ? [] : items.slice(index);
}

function addWriteRoutes(server: HttpServer, context: ServicesContext): void {
  server.post(
    "/v3/status-pages/:statusPageId/components",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createStatusPageComponent",
        summary: "Add a service or a group to a status page",
        description:
          "A group is a card of the page. A service component creates a service, which is deleted " +
          "with the component unless another page shows it or a check opens incidents for it.",
        params: StatusPageParams,
        body: ComponentBody,
        response: answers({ 201: ComponentSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }, reply) => {
      const { statusPageId } = params;
      const input = fromWireComponent(body, null);
      const request = { statusPageId, id: randomUUIDv7(), input };
      const component = await createComponent(context, caller, request);
      return reply.code(201).send(toWireComponent(component));
    },
  );
  server.put(
    "/v3/status-pages/:statusPageId/components/:componentId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateStatusPageComponent",
        summary: "Update a component of a status page",
        description:
          "Omitted optional fields keep their value. A new name is also the name of the service on " +
          "other pages.",
        params: ComponentParams,
        body: ComponentBody,
        response: answers({ 200: ComponentSchema }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, componentId }, body }) => {
      const read = fromWireComponent.bind(null, body);
      const change = { statusPageId, id: componentId, read };
      return toWireComponent(await changeComponent(context, caller, change));
    },
  );
  server.delete(
    "/v3/status-pages/:statusPageId/components/:componentId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteStatusPageComponent",
        summary: "Remove a component from a status page",
        description: "The services of a removed group stay on the page, without a group.",
        params: ComponentParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, componentId } }, reply) => {
      await removeComponent(context, caller, { statusPageId, id: componentId });
      return reply.code(204).send(null);
    },
  );
}

export function addComponentRoutes(server: HttpServer, context: ServicesContext): void {
  addWriteRoutes(server, context);
  server.get(
    "/v3/status-pages/:statusPageId/components",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listStatusPageComponents",
        summary: "List the components of a status page",
        description:
          "In the order of the page, each group before its services. Every page has them, also " +
          "one that is described with cards.",
        params: StatusPageParams,
        querystring: ComponentQuery,
        response: answers({ 200: ComponentList }, "notFound"),
      },
    },
    async ({ caller, params, query: { limit, nextId } }) => {
      const all = await listOwnComponents(context, caller, params.statusPageId);
      const some = startAt(all, nextId).slice(0, limit + 1);
      return toCursorPage(some.map(toWireComponent), limit);
    },
  );
  server.get(
    "/v3/status-pages/:statusPageId/components/:componentId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getStatusPageComponent",
        summary: "Get a component of a status page",
        description: "A group is a card of the page, and a service is what the card shows.",
        params: ComponentParams,
        response: answers({ 200: ComponentSchema }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, componentId } }) => {
      const place = { statusPageId, id: componentId };
      return toWireComponent(await getComponent(context, caller, place));
    },
  );
}
