import { Type } from "typebox";
import { toDay } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateOnly,
  Described,
  Guid,
  Name,
  OrNull,
} from "../../../platform/http/schema.ts";
import { tagVersion } from "../../../platform/http/send.ts";
import type { Service } from "../status-page.ts";

const maxFollowedChecks = 100;
const maxFollowedTags = 20;

/**
 * Checks that determine a service's state: the checks listed by id, and every check that has one of
 * the listed tags.
 */
export interface Follows {
  readonly checkIds: readonly string[];
  readonly tags: readonly string[];
}

export interface FollowsInput {
  readonly checkIds?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Removes duplicates and converts ids to lower case, as they are stored. */
export function normaliseFollows({ checkIds = [], tags = [] }: FollowsInput): Follows {
  const ids = checkIds.map((id) => id.toLowerCase());
  return { checkIds: [...new Set(ids)], tags: [...new Set(tags)] };
}

/** A check or tag that a service follows, and since when. */
export interface Follow {
  readonly serviceId: string;
  readonly checkId: string | null;
  readonly tag: string | null;
  readonly since: Date;
}

export interface FollowingService extends Service {
  readonly follows: Follows;
}

/** Groups the follows of a service. Sorts ids and tags to make the output deterministic. */
export function toFollows(rows: readonly Follow[]): Follows {
  return {
    checkIds: rows.flatMap(({ checkId }) => checkId ?? []).sort(),
    tags: rows.flatMap(({ tag }) => tag ?? []).sort(),
  };
}

const FollowsBody = Type.Object(
  {
    checkIds: Type.Optional(
      Type.Array(Guid, {
        maxItems: maxFollowedChecks,
        description: "Ids of checks of the account.",
      }),
    ),
    tags: Type.Optional(
      Type.Array(Name, {
        maxItems: maxFollowedTags,
        description:
          "Tags; follows every check that has one of them, directly or through its group.",
      }),
    ),
  },
  {
    description:
      "The checks that determine the state of the service, according to their alert rules. In a " +
      "PUT, omitting it keeps the stored value.",
    additionalProperties: false,
  },
);

const Ignored = Type.Optional(Type.Unknown({ description: "Read-only; ignored in requests." }));

/** Rejects unknown fields: a service with a misspelt `follows` would be operational for ever. */
export const ServiceBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Payments"),
    follows: Type.Optional(FollowsBody),
    // Responses contain these fields, so that a client can send back what it read.
    id: Ignored,
    accountId: Ignored,
    created_at: Ignored,
    updated_at: Ignored,
  },
  { title: "ServiceInput", additionalProperties: false },
);
export const ServiceParams = Type.Object({ serviceId: Described(Guid, "The service's id.") });
export const ServiceQuery = Type.Object({
  ...CursorQuery,
  paginated: Type.Boolean({
    default: true,
    description: "If false, all services are returned as a plain array.",
  }),
});

export const ServiceSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Payments"] }),
    accountId: Described(Guid, "The account's id."),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
  },
  { title: "Service" },
);
/** Schema of a service in its own operations. Cards and incidents omit `follows`. */
export const FollowingServiceSchema = Type.Object(
  {
    ...ServiceSchema.properties,
    follows: Type.Object(
      {
        checkIds: Type.Array(Guid, { description: "Ids of followed checks." }),
        tags: Type.Array(Type.String(), {
          description: "Tags; every check that has one of them is followed.",
        }),
      },
      { description: "The checks that determine the state of the service." },
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
    created_at: toDay(service.createdAt),
    updated_at: service.updatedAt && toDay(service.updatedAt),
  };
}

export function toWireFollowingService(service: FollowingService) {
  const { checkIds, tags } = service.follows;
  return { ...toWireService(service), follows: { checkIds: [...checkIds], tags: [...tags] } };
}

/**
 * Returns the ETag of a service. It includes the number of followed checks, because deleting a
 * check does not increment the service's version.
 */
export function tagService({ version, follows }: FollowingService): string {
  return tagVersion(
    version,
    follows.checkIds.map(() => 1),
  );
}
