import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type LocationsContext,
  listSourceAddresses,
  listSourceAddressesByLocation,
} from "./actions.ts";
import { listNamedPlaces, type PrivateLocationsContext } from "./private-locations/actions.ts";
import { addPrivateLocationRoutes } from "./private-locations/routes.ts";
import { addQuarantineRoutes } from "./quarantine.ts";
import { addQueueRoutes } from "./queues.ts";
import {
  AddressesByLocation,
  AddressList,
  AddressText,
  PlaceList,
  toWireLines,
  toWirePlace,
} from "./schema.ts";

const tags = ["Source addresses"];
const families = [
  { path: "/v1/static-ips", family: "IPv4" },
  { path: "/v1/static-ipv6s", family: "IPv6" },
] as const;

export function addLocationRoutes(server: HttpServer, context: PrivateLocationsContext): void {
  addPlaceRoutes(server, context);
  addPrivateLocationRoutes(server, context);
  addQueueRoutes(server, context);
  addQuarantineRoutes(server, context);
}

function addPlaceRoutes(server: HttpServer, context: LocationsContext): void {
  server.get(
    "/v1/locations",
    {
      config: { access: "read" },
      schema: {
        tags: ["Locations"],
        operationId: "listLocations",
        summary: "List locations with their probes",
        description:
          "Every location that checks can use, with its probes and whether they are alive. While " +
          "the server itself is the only location with a probe, and the account has no private " +
          "location, its name is “This server”.",
        response: answers({ 200: PlaceList }),
      },
    },
    async ({ caller }) => {
      const places = await listNamedPlaces(context, caller.accountId);
      return places.map((place) => toWirePlace(place, context.clock.now()));
    },
  );
  for (const { path, family } of families) {
    server.get(
      path,
      {
        config: { access: "read" },
        schema: {
          tags,
          operationId: `list${family}Addresses`,
          summary: `List the ${family} addresses that checks come from`,
          description:
            "The addresses of the live probes, sorted and without duplicates. Allow them in your firewall.",
          response: answers({ 200: AddressList }),
        },
      },
      async () => listSourceAddresses(context, family),
    );
    server.get(
      `${path}-by-region`,
      {
        config: { access: "read" },
        schema: {
          tags,
          operationId: `list${family}AddressesByLocation`,
          summary: `List the ${family} addresses that checks come from, by location`,
          description: "The same addresses, grouped by the location of their probe.",
          response: answers({ 200: AddressesByLocation }),
        },
      },
      async () => listSourceAddressesByLocation(context, family),
    );
    server.get(
      `${path}.txt`,
      {
        config: { access: "read" },
        schema: {
          tags,
          operationId: `list${family}AddressesAsText`,
          summary: `List the ${family} addresses that checks come from, one per line`,
          description: "The same addresses as plain text, for scripts.",
          produces: ["text/plain"],
          response: answers({ 200: AddressText }),
        },
      },
      async (_request, reply) => {
        const lines = toWireLines(await listSourceAddresses(context, family));
        return reply.type("text/plain; charset=utf-8").send(lines);
      },
    );
  }
}
