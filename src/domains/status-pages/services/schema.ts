import { Type } from "typebox";
import { formatDate } from "../../../platform/dates.ts";
import { CursorPage, CursorQuery, Guid, Name, OrNull } from "../../../platform/http/schema.ts";
import type { Service } from "../status-page.ts";

export const ServiceBody = Type.Object({ name: Name });
export const ServiceParams = Type.Object({ serviceId: Guid });
export const ServiceQuery = Type.Object({
  ...CursorQuery,
  paginated: Type.Boolean({
    default: true,
    description: "False: all of them at once, as a plain array.",
  }),
});

export const ServiceSchema = Type.Object({
  id: Guid,
  name: Type.String(),
  accountId: Guid,
  created_at: Type.String({ format: "date" }),
  updated_at: OrNull(Type.String({ format: "date" })),
});
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
