import { createHash, randomUUIDv7 } from "node:crypto";
import type { CheckType } from "../../kinds/index.ts";
import { KnownError } from "../../platform/errors.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import type { Caller } from "../accounts/index.ts";
import {
  addSubscriptions,
  ChannelBody,
  type ChannelsContext,
  changeChannel,
  createChannel,
  fromWireChannel,
  listChannelsByIds,
} from "../alert-channels/index.ts";
import {
  type ChecksContext,
  changeCheck,
  changeGroup,
  createGroup,
  createRequestedChecks,
  GroupBody,
  listAccountCheckIds,
  mapGroups,
  parseCheckChange,
  parseUnknownCheck,
} from "../checks/index.ts";
import {
  changeWindow,
  createWindow,
  fromWireWindow,
  getWindow,
  type MaintenanceContext,
  WindowBody,
} from "../maintenance/index.ts";
import {
  changeService,
  changeStatusPage,
  createService,
  createStatusPage,
  findStatusPageById,
  listServicesByIds,
  ServiceBody,
  type ServicesContext,
  StatusPageBody,
} from "../status-pages/index.ts";
import type { DesiredResource, ResourceType } from "./reading.ts";

/**
 * Writes resources with the actions of their modules, in the transaction of the context. An import
 * never deletes anything.
 */

export type WriterContext = ChecksContext & ChannelsContext & ServicesContext & MaintenanceContext;

type Body = Readonly<Record<string, unknown>>;

interface Writer {
  /** Returns those of the ids that still exist. */
  readonly listExisting: (
    context: WriterContext,
    caller: Caller,
    ids: readonly string[],
  ) => Promise<readonly string[]>;
  readonly create: (context: WriterContext, caller: Caller, body: Body) => Promise<string>;
  readonly change: (
    context: WriterContext,
    caller: Caller,
    change: { readonly id: string; readonly body: Body },
  ) => Promise<unknown>;
}

/** Validates a body as the route does, which fills in defaults. */
function complete<Value>(schema: object, body: Body): Value {
  const copy = structuredClone(body);
  assertSchema(schema, copy);
  return copy as Value;
}

const idsOf = (objects: readonly { readonly id: string | number }[]) =>
  objects.map(({ id }) => String(id));

/** For types of which an account has few. */
async function filterExisting(
  ids: readonly string[],
  find: (id: string) => Promise<unknown>,
): Promise<string[]> {
  const existing: string[] = [];
  for (const id of ids) {
    try {
      if ((await find(id)) !== null) existing.push(id);
    } catch (error) {
      if (!(error instanceof KnownError) || error.errorName !== "notFound") throw error;
    }
  }
  return existing;
}

type ChannelInput = Parameters<typeof fromWireChannel>[0];
type GroupInput = Parameters<typeof createGroup>[2];
type WindowInput = Parameters<typeof fromWireWindow>[0];
type ServiceInput = Omit<Parameters<typeof createService>[2], "idempotencyKey">;
type PageInput = Parameters<typeof createStatusPage>[2]["input"];

interface PageCard {
  readonly services: readonly string[];
}

/** A deployment lists the services of a card by reference only; the API lists objects. */
function toPageBody(body: Body): Body {
  const cards = (body.cards as readonly PageCard[]).map((card) => ({
    ...card,
    services: card.services.map((id) => ({ id })),
  }));
  return { ...body, cards };
}

const noKey = { idempotencyKey: undefined } as const;
const anyVersion = { ifMatch: undefined } as const;

export const writers: Readonly<
  Record<Exclude<ResourceType, "check" | "alert-channel-subscription">, Writer>
> = {
  "alert-channel": {
    listExisting: async ({ db }, { accountId }, ids) =>
      idsOf(await listChannelsByIds(db, accountId, ids.map(Number))),
    create: async (context, caller, body) => {
      const input = fromWireChannel(complete<ChannelInput>(ChannelBody, body));
      return String((await createChannel(context, caller, input)).id);
    },
    change: (context, caller, { id, body }) => {
      const input = fromWireChannel(complete<ChannelInput>(ChannelBody, body));
      return changeChannel(context, caller, { id: Number(id), input });
    },
  },
  "check-group": {
    listExisting: async ({ db }, { accountId }, ids) =>
      [...(await mapGroups(db, accountId, ids.map(Number))).keys()].map(String),
    create: async (context, caller, body) =>
      String((await createGroup(context, caller, complete<GroupInput>(GroupBody, body))).id),
    change: (context, caller, { id, body }) =>
      changeGroup(context, caller, {
        id: Number(id),
        input: complete<GroupInput>(GroupBody, body),
      }),
  },
  "status-page-service": {
    listExisting: async ({ db }, { accountId }, ids) =>
      idsOf(await listServicesByIds(db, accountId, ids)),
    create: async (context, caller, body) => {
      const input = complete<ServiceInput>(ServiceBody, body);
      return (await createService(context, caller, { ...input, ...noKey })).id;
    },
    change: (context, caller, { id, body }) => {
      const input = complete<ServiceInput>(ServiceBody, body);
      return changeService(context, caller, { ...input, id, ...anyVersion });
    },
  },
  "status-page": {
    listExisting: ({ db }, { accountId }, ids) =>
      filterExisting(ids, (id) => findStatusPageById(db, accountId, id)),
    create: async (context, caller, body) => {
      const input = complete<PageInput>(StatusPageBody, toPageBody(body));
      return (await createStatusPage(context, caller, { input, ...noKey })).id;
    },
    change: (context, caller, { id, body }) => {
      const input = complete<PageInput>(StatusPageBody, toPageBody(body));
      return changeStatusPage(context, caller, { id, input, ...anyVersion });
    },
  },
  "maintenance-window": {
    listExisting: (context, caller, ids) =>
      filterExisting(ids, (id) => getWindow(context, caller, Number(id))),
    create: async (context, caller, body) => {
      const input = fromWireWindow(complete<WindowInput>(WindowBody, body));
      return String((await createWindow(context, caller, input)).id);
    },
    change: (context, caller, { id, body }) => {
      const input = fromWireWindow(complete<WindowInput>(WindowBody, body));
      return changeWindow(context, caller, { id: Number(id), input });
    },
  },
};

/** Adds the resource to an error, because the import has many. */
export function nameResource({ type, logicalId }: DesiredResource, error: unknown): unknown {
  if (!(error instanceof KnownError)) return error;
  const message = `${type} ${logicalId}: ${error.message}`;
  const name = error.errorName === "notFound" ? "invalidRequest" : error.errorName;
  return new KnownError(name, { message });
}

export function hashBody(body: Body): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("base64url");
}

/** Replaces references by ids: numbers where the API has numbers. */
export function resolveReferences(
  value: unknown,
  find: (logicalId: string) => string | number | null,
): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const resolved = resolveReferences(item, find);
      // What a list refers to may have been left out.
      return resolved === null ? [] : [resolved];
    });
  }
  if (typeof value !== "object" || value === null) return value;
  if ("ref" in value && typeof value.ref === "string") return find(value.ref);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveReferences(item, find)]),
  );
}

export interface NewCheck {
  readonly resource: DesiredResource;
  readonly body: Body;
}

/** Creates all checks at once, and returns their ids by origin. */
export async function createChecks(
  context: WriterContext,
  caller: Caller,
  checks: readonly NewCheck[],
): Promise<Map<string, string>> {
  const ids = checks.map(() => randomUUIDv7());
  const requests = checks.map(({ body }, index) => () => ({
    ...parseUnknownCheck(structuredClone(body)),
    id: ids[index] ?? "",
    autoAssignAlerts: false,
  }));
  const outcomes = await createRequestedChecks(context, caller, requests);
  return new Map(
    outcomes.map((outcome, index) => {
      const resource = checks[index]?.resource as DesiredResource;
      if (outcome.kind === "refused") throw nameResource(resource, outcome.error);
      return [resource.logicalId, outcome.check.id];
    }),
  );
}

export function updateCheck(
  context: WriterContext,
  caller: Caller,
  { id, body }: { readonly id: string; readonly body: Body },
): Promise<unknown> {
  const { checkType, ...rest } = structuredClone(body);
  const type = checkType as CheckType;
  return changeCheck(context, caller, { id, type, input: parseCheckChange(type, rest) });
}

export const listExistingChecks = (
  { db }: WriterContext,
  { accountId }: Caller,
  ids: readonly string[],
): Promise<string[]> => listAccountCheckIds(db, accountId, ids);

/** Subscribes checks to channels. */
export async function subscribeChecks(
  { db }: WriterContext,
  { accountId }: Caller,
  pairs: readonly { readonly channelId: number; readonly checkId: string }[],
): Promise<void> {
  for (const [channelId, some] of Map.groupBy(pairs, (pair) => pair.channelId)) {
    const checkIds = some.map(({ checkId }) => checkId);
    await addSubscriptions(db, accountId, {
      alertChannelIds: [channelId],
      checkIds,
      groupIds: [],
    });
  }
}
