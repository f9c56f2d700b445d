import { Type } from "typebox";
import { formatDate } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  Described,
  Guid,
  Name,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { Service } from "../status-page.ts";

export const ServiceBody = Type.Object(
  { name: Described(Name, "Its name.", "Payments") },
  { title: "ServiceInput" },
);
export const ServiceParams = Type.Object({ serviceId: Described(Guid, "The service's id.") });
export const ServiceQuery = Type.Object({
  ...CursorQuery,
  paginated: Type.Boolean({
    default: true,
    description: "False: all of them at once, as a plain array.",
  }),
});

export const ServiceSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Payments"] }),
    accountId: Described(Guid, "The account's id."),
    created_at: Type.String({ description: "The day it was created, in UTC.", format: "date" }),
    updated_at: Described(
      OrNull(Type.String({ format: "date" })),
      "The day it was last changed, in UTC; null: never.",
    ),
  },
  { title: "Service" },
);
export const ServiceList = Type.Union([CursorPage(ServiceSchema), Type.Array(ServiceSchema)]);

export function toWireService(service: Service) {
  return {
    id: service.id,
    name: service.name,
    accountId: service.accountId,
    created_at: formatDate(service.createdAt),
    updated_at: service.updatedAt && formatDate(service.updatedAt),
  };
}
