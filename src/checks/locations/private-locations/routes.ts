import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { PrivateLocationsContext } from "./actions.ts";
import {
  changeLocation,
  createLocation,
  createLocationKey,
  getOwnLocation,
  listOwnLocations,
  removeLocation,
  revokeLocationKey,
} from "./actions.ts";
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
        description: "All of them, oldest first, with the probes that serve them.",
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
        description: "Includes its probes and its masked keys.",
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
        summary: "Create a private location with its first key",
        description:
          "Start probes with `keys[0].rawKey`, which is returned only once. Checks run " +
          "there if `privateLocations` contains the slug.",
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
        description:
          "Its probes and keys remain. Omitted fields, except the name, keep their values.",
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
          "Its keys stop working at once. Rejected while a check or a group uses the location.",
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
        summary: "Create another key of a private location",
        description:
          "The key is returned only once. With a separate key per probe you can revoke a single probe.",
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
        description: "Probes that use it are disconnected within a second.",
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
