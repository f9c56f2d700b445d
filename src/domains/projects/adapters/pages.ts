import { invalid } from "../../../platform/errors.ts";
import { assertSchema } from "../../../platform/http/validation.ts";
import {
  changeDashboard,
  createDashboard,
  DashboardBody,
  fromWireDashboard,
  getDashboard,
  listDashboards,
  removeDashboard,
} from "../../dashboards/index.ts";
import {
  changeService,
  changeStatusPage,
  createService,
  createStatusPage,
  findStatusPageById,
  listAllServices,
  listServicesByIds,
  listStatusPagesOf,
  removeService,
  removeStatusPage,
  ServiceBody,
  StatusPageBody,
  type StatusPageInput,
} from "../../status-pages/index.ts";
import { type Fields, toFields } from "../resource.ts";
import {
  type Adapter,
  createEach,
  describePlain,
  listIdsOf,
  mapInOrder,
  readPages,
} from "./adapter.ts";

export const serviceAdapter: Adapter<{ readonly name: string }> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) => listIdsOf(await listAllServices(context, caller)),
  parse: (payload) => {
    assertSchema(ServiceBody, { name: payload.name });
    const input = { name: String(payload.name) };
    return { input, definition: describePlain(input) };
  },
  load: async ({ context, caller }, ids) => {
    const found = await listServicesByIds(context.db, caller.accountId, ids);
    return new Map(found.map(({ id, name }) => [id, describePlain({ name })]));
  },
  create: ({ context, caller }, items) =>
    createEach(items, async ({ name }) => {
      return (await createService(context, caller, { name, idempotencyKey: undefined })).id;
    }),
  change: async ({ context, caller }, id, { name }) => {
    await changeService(context, caller, { id, name, ifMatch: undefined });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeService(context, caller, id);
  },
};

/** Every field of a body; omitted ones are null, which stands for the default. */
function completeBody(properties: object, body: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.keys(properties).map((name) => [name, body[name] ?? null]));
}

interface CardInput {
  readonly name: string;
  readonly services?: readonly { readonly id: string }[] | undefined;
}

const describeCards = (cards: readonly CardInput[]) =>
  cards.map(({ name, services = [] }) => ({ name, services: services.map(({ id }) => id) }));

/** A version 3 page has components instead of cards, which this product does not have. */
function rejectComponents({ version }: Fields): void {
  if (version !== 3) return;
  throw invalid("version", "3 is not supported: describe the page with cards and services");
}

export const pageAdapter: Adapter<StatusPageInput> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) =>
    listIdsOf(await listStatusPagesOf(context.db, caller.accountId)),
  parse: (payload) => {
    rejectComponents(payload);
    const body = { ...structuredClone(payload), cards: payload.cards ?? [] };
    assertSchema(StatusPageBody, body);
    const whole = completeBody(StatusPageBody.properties, body);
    const input = whole as unknown as StatusPageInput;
    return { input, definition: describePlain({ ...whole, cards: describeCards(input.cards) }) };
  },
  load: async ({ context, caller }, ids) => {
    const pages = await mapInOrder(ids, (id) =>
      findStatusPageById(context.db, caller.accountId, id),
    );
    return new Map(
      pages.flatMap((page) => {
        if (page === null) return [];
        const { id, name, url, isPrivate, settings, cards } = page;
        const shown = { name, url, isPrivate, ...settings, cards: describeCards(cards) };
        return [[id, describePlain(toFields(shown))]];
      }),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => {
      return (await createStatusPage(context, caller, { input, idempotencyKey: undefined })).id;
    }),
  change: async ({ context, caller }, id, input) => {
    const page = await findStatusPageById(context.db, caller.accountId, id);
    // A card keeps its id if it keeps its name.
    const ids = new Map(page?.cards.map((card) => [card.name, card.id]));
    const cards = input.cards.map((card) => {
      const cardId = ids.get(card.name);
      ids.delete(card.name);
      return cardId === undefined ? card : { ...card, id: cardId };
    });
    await changeStatusPage(context, caller, { id, input: { ...input, cards }, ifMatch: undefined });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeStatusPage(context, caller, id);
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
    // The heading is optional for existing clients.
    const body = { ...structuredClone(payload), header: payload.header ?? payload.customUrl };
    assertSchema(DashboardBody, body);
    const input = completeBody(fields, body as Fields);
    const request = fromWireDashboard(input as unknown as DashboardBody);
    return { input: request, definition: describePlain(input) };
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
