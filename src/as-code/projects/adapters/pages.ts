import type { Database } from "../../../platform/database.ts";
import { assertSchema } from "../../../platform/http/validation.ts";
import {
  changeDashboard,
  createDashboard,
  DashboardBody,
  fromWireDashboard,
  getDashboard,
  listDashboards,
  removeDashboard,
} from "../../../screens/dashboards/index.ts";
import {
  findPageImage,
  findUploadHash,
  nameStoredPicture,
} from "../../../sites/publishing/index.ts";
import {
  findStatusPageById,
  listAllServices,
  listStatusPagesOf,
  pageDefinitions,
  type StatusPage,
  StatusPageBody,
  type StatusPageInput,
  serviceDefinitions,
} from "../../../sites/status-pages/index.ts";
import { type Fields, toFields } from "../resource.ts";
import {
  type Adapter,
  createEach,
  describePlain,
  listIdsOf,
  mapInOrder,
  type Parsed,
  readPages,
} from "./adapter.ts";

interface ServiceInput {
  readonly name: string;
  readonly follows: { readonly checkIds: readonly string[]; readonly tags: readonly string[] };
}

const followsNothing = { checkIds: [], tags: [] };

/**
 * Returns the definition of a service. Checks and tags are sorted, because their order has no
 * meaning.
 */
function describeService({ name, follows: { checkIds, tags } }: ServiceInput) {
  return describePlain({
    name,
    follows: { checkIds: [...checkIds].sort(), tags: [...tags].sort() },
  });
}

export const serviceAdapter: Adapter<ServiceInput> = {
  hasNumbers: false,
  unordered: ["follows.checkIds"],
  listIds: ({ context, caller }) => serviceDefinitions.listIds(context, caller),
  parse: (payload, stored) => {
    const { name, follows } = payload;
    const body = { name, ...(follows !== undefined && { follows }) };
    serviceDefinitions.assertBody(structuredClone(body));
    // Clients that do not support `follows` send only the name. If `follows` is omitted, its stored
    // value is kept.
    const input = {
      name: String(name),
      follows: { ...followsNothing, ...((follows ?? stored?.follows) as object | undefined) },
    };
    return { input, definition: describeService(input) };
  },
  load: async ({ context, caller }, ids) => {
    const found = await listAllServices(context, caller);
    const asked = new Set(ids);
    return new Map(
      found.filter(({ id }) => asked.has(id)).map((one) => [one.id, describeService(one)]),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async ({ name }) => {
      const request = { name, idempotencyKey: undefined };
      return (await serviceDefinitions.create(context, caller, request)).id;
    }),
  // `change` does nothing, because the checks that the service follows may not exist yet. `connect`
  // writes the changes when all checks exist.
  change: async () => {},
  connect: async ({ context, caller }, { id, isNew }, { name, follows }) => {
    const followsSome = follows.checkIds.length + follows.tags.length > 0;
    if (isNew && !followsSome) return;
    await serviceDefinitions.change(context, caller, { id, name, follows, ifMatch: undefined });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await serviceDefinitions.remove(context, caller, id);
  },
};

const imageFields = { logo: "logo", logoDark: "logo-dark", favicon: "favicon" } as const;

/** Replaces references to uploaded pictures with data URLs of the pictures. */
async function embedPictures(
  db: Database,
  page: Omit<Parameters<typeof findPageImage>[1], "role">,
  fields: Fields,
): Promise<Fields> {
  const embedded: Record<string, unknown> = { ...fields };
  for (const [field, role] of Object.entries(imageFields)) {
    const source = fields[field];
    if (typeof source !== "string" || findUploadHash(source) === null) continue;
    const image = await findPageImage(db, { ...page, role });
    embedded[field] = image && `data:${image.contentType};base64,${image.bytes.toString("base64")}`;
  }
  return embedded;
}

/**
 * Replaces pictures with their stored form, so that an identical picture does not count as a
 * change.
 */
function describePictures(fields: Fields): Fields {
  const described: Record<string, unknown> = { ...fields };
  for (const field of Object.keys(imageFields)) {
    const source = fields[field];
    if (typeof source === "string") described[field] = nameStoredPicture(source);
  }
  return described;
}

interface CardInput {
  readonly name: string;
  readonly services?: readonly { readonly id: string }[] | undefined;
}

/** Converts the service ids in cards to objects, because definitions contain only the ids. */
function readCards(cards: unknown): unknown {
  if (!Array.isArray(cards)) return cards ?? [];
  return cards.map((card: Fields) =>
    Array.isArray(card?.services)
      ? {
          ...card,
          services: card.services.map((one) => (typeof one === "string" ? { id: one } : one)),
        }
      : card,
  );
}

const describeCards = (cards: readonly CardInput[]) =>
  cards.map(({ name, services = [] }) => ({ name, services: services.map(({ id }) => id) }));

/** Adds omitted fields with the value `null`, which stands for the default value. */
function completeBody(properties: object, body: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.keys(properties).map((name) => [name, body[name] ?? null]));
}

interface PageRequest {
  /** Returns the input that changes the existing page into the desired page. */
  readonly read: (before: StatusPage | null) => StatusPageInput;
}

function parseCardsPage(payload: Fields): Parsed<PageRequest> {
  const body = { ...structuredClone(payload), cards: readCards(payload.cards) };
  assertSchema(StatusPageBody, body);
  const whole = completeBody(StatusPageBody.properties, body);
  const input = { ...(whole as unknown as StatusPageInput), usesComponents: false };
  const cards = describeCards(input.cards ?? []);
  const definition = describePlain({ ...describePictures(whole), cards });
  return { input: { read: (before) => keepCardIds(before, input) }, definition };
}

/** Parses a status page of version 3, whose components are separate resources. */
function parseComponentsPage(payload: Fields): Parsed<PageRequest> {
  const { version: _version, ...sent } = structuredClone(payload);
  const { read, described } = pageDefinitions.defineComponentPage(sent);
  return { input: { read }, definition: describePlain(describePictures(toFields(described))) };
}

function describePage(page: StatusPage) {
  if (page.usesComponents) return pageDefinitions.describeComponentPage(page);
  const { name, url, isPrivate, settings, cards } = page;
  // Only status pages of version 3 have these two fields.
  const { allowIndexing: _indexing, googleAnalyticsTag: _tag, ...shown } = settings;
  return { name, url, isPrivate, ...shown, cards: describeCards(cards) };
}

/** Assigns existing card ids by name, so that a card with an unchanged name keeps its id. */
function keepCardIds(page: StatusPage | null, input: StatusPageInput): StatusPageInput {
  const ids = new Map(page?.cards.map((card) => [card.name, card.id]));
  const cards = input.cards?.map((card) => {
    const cardId = ids.get(card.name);
    ids.delete(card.name);
    return cardId === undefined ? card : { ...card, id: cardId };
  });
  return { ...input, cards };
}

export const pageAdapter: Adapter<PageRequest> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) =>
    listIdsOf(await listStatusPagesOf(context.db, caller.accountId)),
  parse: (payload) =>
    payload.version === 3 && payload.cards === undefined
      ? parseComponentsPage(payload)
      : parseCardsPage(payload),
  load: async ({ context, caller }, ids) => {
    const pages = await mapInOrder(ids, (id) =>
      findStatusPageById(context.db, caller.accountId, id),
    );
    return new Map(
      pages.flatMap((page) =>
        page === null ? [] : [[page.id, describePlain(toFields(describePage(page)))]],
      ),
    );
  },
  embedFiles: ({ context }, pageId, fields) =>
    embedPictures(context.db, { pageKind: "status-page", pageId }, fields),
  create: ({ context, caller }, items) =>
    createEach(items, async ({ read }) => {
      const request = { input: read(null), idempotencyKey: undefined };
      return (await pageDefinitions.create(context, caller, request)).id;
    }),
  change: async ({ context, caller }, id, { read }) => {
    const page = await findStatusPageById(context.db, caller.accountId, id);
    await pageDefinitions.change(context, caller, { id, input: read(page), ifMatch: undefined });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await pageDefinitions.remove(context, caller, id);
  },
};

type DashboardRequest = ReturnType<typeof fromWireDashboard>;

export const dashboardAdapter: Adapter<DashboardRequest> = {
  hasNumbers: false,
  listIds: async ({ context: { db }, caller: { accountId } }) => {
    const boards = await readPages(
      async (page) => (await listDashboards(db, accountId, page)).dashboards,
    );
    return boards.map(({ dashboardId }) => dashboardId);
  },
  parse: (payload) => {
    const { keys: _keys, ...fields } = DashboardBody.properties;
    // Existing clients may omit the header, although the API requires it.
    const body = { ...structuredClone(payload), header: payload.header ?? payload.customUrl };
    assertSchema(DashboardBody, body);
    const input = completeBody(fields, body as Fields);
    // A deployment does not show keys, so it creates none.
    const request = { ...fromWireDashboard(input as unknown as DashboardBody), firstKey: false };
    return { input: request, definition: describePlain(describePictures(input)) };
  },
  load: async ({ context, caller }, ids) => {
    const found = await mapInOrder(ids, async (value) => {
      try {
        return await getDashboard(context, caller, { by: "dashboardId", value });
      } catch {
        return null;
      }
    });
    return new Map(
      found.flatMap((one) =>
        one === null ? [] : [[one.dashboardId, describePlain(toFields(one.settings))]],
      ),
    );
  },
  embedFiles: ({ context }, pageId, fields) =>
    embedPictures(context.db, { pageKind: "dashboard", pageId }, fields),
  create: ({ context, caller }, items) =>
    createEach(items, async (request) => {
      const once = { body: request.input, idempotencyKey: undefined };
      return (await createDashboard(context, caller, { ...request, ...once })).dashboardId;
    }),
  change: async ({ context, caller }, dashboardId, request) => {
    await changeDashboard(context, caller, { ...request, dashboardId, ifMatch: undefined });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeDashboard(context, caller, id);
  },
};
