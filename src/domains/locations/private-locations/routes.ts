import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import {
  changeLocation,
  createLocation,
  getOwnLocation,
  listOwnLocations,
  removeLocation,
} from "./actions.ts";
import type { PrivateLocationsContext } from "./context.ts";
import { createLocationKey, revokeLocationKey } from "./key-actions.ts";
import {
  CreatedLocation,
  KeyParams,
  KeySchema,
  ListQuery,
  LocationBody,
  LocationList,
  LocationParams,
  LocationSchema,
  LocationUpdate,
  toWireCreated,
  toWireKey,
  toWireLocation,
} from "./schema.ts";

const tags = ["Private locations"];

function viewOf({ clock, serverVersion }: PrivateLocationsContext, showsVersions = false) {
  return { now: clock.now(), serverVersion, showsVersions };
}

export function addPrivateLocationRoutes(
  server: HttpServer,
  context: PrivateLocationsContext,
): void {
  addReadRoutes(server, context);
  addWriteRoutes(server, context);
  addKeyRoutes(server, context);
}

function addReadRoutes(server: HttpServer, context: PrivateLocationsContext): void {
  server.get(
    "/v1/private-locations",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listPrivateLocations",
        summary: "List the account's private locations",
        description: "All at once, the oldest first, with the probes that serve them.",
        querystring: ListQuery,
        response: answers({ 200: LocationList }),
      },
    },
    async ({ caller, query }) => {
      const view = viewOf(context, query.versions);
      return (await listOwnLocations(context, caller)).map((one) => toWireLocation(one, view));
    },
  );
  server.get(
    "/v1/private-locations/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getPrivateLocation",
        summary: "Read a private location",
        description: "With its probes, and its keys masked.",
        params: LocationParams,
        querystring: ListQuery,
        response: answers({ 200: LocationSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireLocation(
        await getOwnLocation(context, caller, params.id),
        viewOf(context, query.versions),
      ),
  );
}

function addWriteRoutes(server: HttpServer, context: PrivateLocationsContext): void {
  server.post(
    "/v1/private-locations",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "createPrivateLocation",
        summary: "Create a private location; the answer shows its first key once",
        description:
          "Start probes there with `keys[0].rawKey`: only a hash of it is stored. Checks run " +
          "there that name the slug in `privateLocations`.",
        body: LocationBody,
        response: answers({ 201: CreatedLocation }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const { name, slugName, icon } = body;
      const created = await createLocation(context, caller, { name, slugName, icon });
      return reply.code(201).send(toWireCreated(created, [created.firstKey]));
    },
  );
  server.put(
    "/v1/private-locations/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updatePrivateLocation",
        summary: "Change a private location",
        description: "Its probes and keys stay. What is left out, except the name, stays as it is.",
        params: LocationParams,
        body: LocationUpdate,
        response: answers({ 200: LocationSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) => {
      const { name, slugName, icon } = body;
      const change = { id: params.id, input: { name, slugName, icon } };
      return toWireLocation(await changeLocation(context, caller, change), viewOf(context));
    },
  );
  server.delete(
    "/v1/private-locations/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deletePrivateLocation",
        summary: "Delete a private location",
        description:
          "Its keys let nobody in any more, at once. Refused while a check or a group names it.",
        params: LocationParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeLocation(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}

function addKeyRoutes(server: HttpServer, context: PrivateLocationsContext): void {
  server.post(
    "/v1/private-locations/:id/keys",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "createPrivateLocationKey",
        summary: "Create another key of a private location; the answer shows it once",
        description:
          "One for each probe lets you shut out one of them alone. Only a hash of it is stored.",
        params: LocationParams,
        response: answers({ 201: KeySchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const key = await createLocationKey(context, caller, params.id);
      return reply.code(201).send(toWireKey(key));
    },
  );
  server.delete(
    "/v1/private-locations/:id/keys/:keyId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deletePrivateLocationKey",
        summary: "Revoke a key of a private location",
        description: "Probes that came in with it are disconnected within a second.",
        params: KeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await revokeLocationKey(context, caller, params);
      return reply.code(204).send(null);
    },
  );
}
