import { Type } from "typebox";
import { formatDate } from "../../../platform/dates.ts";
import { tagVersion } from "../../../platform/http/entity-tag.ts";
import {
  CursorPage,
  CursorQuery,
  Described,
  Guid,
  Name,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { Service } from "../status-page.ts";
import { type FollowingService, maxFollowedChecks, maxFollowedTags } from "./follows.ts";

const FollowsBody = Type.Object(
  {
    checkIds: Type.Optional(
      Type.Array(Guid, { maxItems: maxFollowedChecks, description: "Checks of the account." }),
    ),
    tags: Type.Optional(
      Type.Array(Name, {
        maxItems: maxFollowedTags,
        description: "Every check that has one of these, also by its group.",
      }),
    ),
  },
  {
    description:
      "The checks whose state is the service's too, as their own alert rules decide it. " +
      "In a PUT, absent keeps what is stored.",
  },
);
export const ServiceBody = Type.Object(
  { name: Described(Name, "Its name.", "Payments"), follows: Type.Optional(FollowsBody) },
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
/** As the operations on services show it; cards and incidents leave `follows` out. */
export const FollowingServiceSchema = Type.Object(
  {
    ...ServiceSchema.properties,
    follows: Type.Object(
      {
        checkIds: Type.Array(Guid, { description: "Checks by their ids." }),
        tags: Type.Array(Type.String(), { description: "Every check that has one of these." }),
      },
      { description: "The checks whose state is the service's too." },
    ),
  },
  { title: "FollowingService" },
);
export const ServiceList = Type.Union([
  CursorPage(FollowingServiceSchema),
  Type.Array(FollowingServiceSchema),
]);

export function toWireService(service: Service) {
  return {
    id: service.id,
    name: service.name,
    accountId: service.accountId,
    created_at: formatDate(service.createdAt),
    updated_at: service.updatedAt && formatDate(service.updatedAt),
  };
}

export function toWireFollowingService(service: FollowingService) {
  const { checkIds, tags } = service.follows;
  return { ...toWireService(service), follows: { checkIds: [...checkIds], tags: [...tags] } };
}

/** Deleting a check ends a follow without raising the version, so their number counts too. */
export function tagService({ version, follows }: FollowingService): string {
  return tagVersion(
    version,
    follows.checkIds.map(() => 1),
  );
}
