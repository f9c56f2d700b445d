import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  Nothing,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { HeartbeatsContext } from "../context.ts";
import { listOwnAddresses, type NamedAddress, removePushAddress } from "./actions.ts";
import { addressForms } from "./push-address.ts";

const AddressSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    checkId: Described(Guid, "The heartbeat check that it pings."),
    checkName: Type.String({ description: "The check's name.", examples: ["Nightly backup"] }),
    form: Described(OneOf(addressForms), "The monitor that it comes from.", "uptime-kuma"),
    address: Type.String({
      description: "The path, with the secret shortened.",
      examples: ["/api/push/AbCd…"],
    }),
    created_at: Described(DateTime, "When it became valid here."),
    last_used_at: Described(OrNull(DateTime), "When a job last used it; `null` if never."),
  },
  { title: "PushAddress" },
);

function toWireAddress({ hint, createdAt, lastUsedAt, ...rest }: NamedAddress) {
  return {
    ...rest,
    address: hint,
    created_at: formatDateTime(createdAt),
    last_used_at: lastUsedAt && formatDateTime(lastUsedAt),
  };
}

const tags = ["Heartbeats"];

export function addAddressRoutes(server: HttpServer, context: HeartbeatsContext): void {
  server.get(
    "/v1/push-addresses",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listPushAddresses",
        summary: "List old push addresses that are still valid",
        description: "Addresses of other monitors that imports keep valid, newest first.",
        response: answers({ 200: Type.Array(AddressSchema) }),
      },
    },
    async ({ caller }) => (await listOwnAddresses(context, caller)).map(toWireAddress),
  );
  server.delete(
    "/v1/push-addresses/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deletePushAddress",
        summary: "Delete an old push address",
        description: "Jobs that still use it receive 404. The check stays.",
        params: Type.Object({ id: Described(Guid, "The address's id.") }),
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePushAddress(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
