import {
  changeLocation,
  createLocation,
  LocationBody,
  listOwnLocations,
  removeLocation,
} from "../../../checks/locations/index.ts";
import { assertSchema } from "../../../platform/http/validation.ts";
import {
  changeWindow,
  createWindow,
  fromWireWindow,
  listOwnWindows,
  removeWindow,
  toWireWindow,
  WindowBody,
} from "../../../response/maintenance/index.ts";
import { type Fields, toFields } from "../resource.ts";
import { type Adapter, createEach, describePlain, listIdsOf } from "./adapter.ts";

interface LocationInput {
  readonly name: string;
  readonly slugName: string;
  readonly icon?: string;
}

/** Icon of a location whose payload contains no icon. */
const defaultIcon = "location";

export const locationAdapter: Adapter<LocationInput> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) => listIdsOf(await listOwnLocations(context, caller)),
  parse: (payload) => {
    const body = { ...structuredClone(payload), proxyUrl: payload.proxyUrl ?? null };
    assertSchema(LocationBody, body);
    const { name, slugName, icon = defaultIcon } = payload as unknown as LocationInput;
    const input = { name, slugName, icon };
    return { input, definition: describePlain(input) };
  },
  load: async ({ context, caller }, ids) => {
    const found = await listOwnLocations(context, caller);
    return new Map(
      found
        .filter(({ id }) => ids.includes(id))
        .map(({ id, name, slugName, icon }) => [id, describePlain({ name, slugName, icon })]),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => (await createLocation(context, caller, input)).id),
  change: async ({ context, caller }, id, input) => {
    await changeLocation(context, caller, { id, input });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeLocation(context, caller, id);
  },
};

/** Maximum number of maintenance windows of an account, so that one query reads all of them. */
const maxWindows = 100;

function describeWindow(body: Fields) {
  const { id: _id, created_at: _created, updated_at: _updated, ...fields } = body;
  return describePlain(toFields(fields));
}

/**
 * Normalises times to UTC, so that a different notation of the same instant does not count as a
 * change.
 */
function normaliseTimes(body: WindowBody): Fields {
  const time = (text: string | null) => (text === null ? null : new Date(text).toISOString());
  const { startsAt, endsAt, repeatEndsAt } = body;
  return {
    ...body,
    startsAt: time(startsAt),
    endsAt: time(endsAt),
    repeatEndsAt: time(repeatEndsAt),
  };
}

export const windowAdapter: Adapter<ReturnType<typeof fromWireWindow>> = {
  hasNumbers: true,
  listIds: async ({ context, caller }) => {
    const { windows } = await listOwnWindows(context, caller, { limit: maxWindows, page: 1 });
    return listIdsOf(windows);
  },
  parse: (payload) => {
    const body = structuredClone(payload) as WindowBody;
    assertSchema(WindowBody, body);
    const known = Object.keys(WindowBody.properties).map((name) => [name, (body as Fields)[name]]);
    const normalised = { ...Object.fromEntries(known), ...normaliseTimes(body) };
    const picked = Object.fromEntries(
      Object.entries(normalised).filter(([name]) => name in WindowBody.properties),
    );
    return { input: fromWireWindow(body), definition: describeWindow(picked) };
  },
  load: async ({ context, caller }, ids) => {
    const { windows } = await listOwnWindows(context, caller, { limit: maxWindows, page: 1 });
    return new Map(
      windows
        .filter(({ id }) => ids.includes(String(id)))
        .map((window) => [String(window.id), describeWindow(toWireWindow(window))]),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => String((await createWindow(context, caller, input)).id)),
  change: async ({ context, caller }, id, input) => {
    await changeWindow(context, caller, { id: Number(id), input });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeWindow(context, caller, Number(id));
  },
};
