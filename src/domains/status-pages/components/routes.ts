import { randomUUIDv7 } from "node:crypto";
import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ServicesContext } from "../context.ts";
import { StatusPageParams } from "../schema.ts";
import {
  changeComponent,
  createComponent,
  getComponent,
  listOwnComponents,
  removeComponent,
} from "./actions.ts";
import {
  ComponentBody,
  ComponentList,
  ComponentParams,
  ComponentQuery,
  ComponentSchema,
  fromWireComponent,
  toWireComponent,
} from "./schema.ts";

const tags = ["Status page components"];

/** Returns the items from the one with the given id, for a list that is in memory. */
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
