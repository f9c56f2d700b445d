import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type LocationsContext,
  listPlaces,
  listSourceAddresses,
  listSourceAddressesByLocation,
} from "./actions.ts";
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

export function addLocationRoutes(server: HttpServer, context: LocationsContext): void {
  server.get(
    "/v1/locations",
    {
      config: { access: "read" },
      schema: {
        tags: ["Locations"],
        summary: "List the locations and which probe serves each",
        response: answers({ 200: PlaceList }),
      },
    },
    async () => (await listPlaces(context)).map((place) => toWirePlace(place, context.clock.now())),
  );
  for (const { path, family } of families) {
    server.get(
      path,
      {
        config: { access: "read" },
        schema: {
          tags,
          summary: `List the ${family} addresses that checks come from`,
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
          summary: `List the ${family} addresses that checks come from, by location`,
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
          summary: `List the ${family} addresses that checks come from, one a line`,
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
