import { type Caller, listRoster } from "../../access/accounts/index.ts";
import { listOwnChannels } from "../../channels/alert-channels/index.ts";
import { listOwnGroups } from "../../checks/checks/index.ts";
import { listAccountPlaces } from "../../checks/locations/index.ts";
import { invalid } from "../../platform/errors.ts";
import { uuidPattern } from "../../platform/text/patterns.ts";
import { listActiveIncidents } from "../../response/incidents/index.ts";
import { listEverySchedule } from "../../response/on-call/index.ts";
import { listAllServices } from "../../sites/status-pages/index.ts";
import type { AgentContext } from "../context.ts";
import { findChecks } from "./check-finder.ts";
import { describeChannel } from "./result-tools.ts";
import { resolveTime } from "./sources.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Reference {
  /** Noun for "not found" messages, such as "check". */
  readonly noun: string;
  readonly idPattern: RegExp;
  /**
   * Whether a text that matches `idPattern` may be a name instead of an id. Such a text is looked
   * up. Without this flag, a matching text is used as an id without a lookup.
   */
  readonly isAlsoName?: boolean;
  readonly list: (context: AgentContext, caller: Caller, name: string) => Promise<Named[]>;
}

const number = /^[1-9]\d{0,8}$/;
const maxListed = 500;

const check: Reference = {
  noun: "check",
  idPattern: uuidPattern,
  list: async (context, caller) =>
    (await findChecks(context, caller, {})).map(({ checkId: id, name }) => ({ id, name })),
};

/** Rules for finding an object by id or by name. The keys are the names of the tool parameters. */
export const references: Readonly<Record<string, Reference>> = {
  checkId: check,
  checkIds: check,
  groupId: {
    noun: "group",
    idPattern: number,
    list: async (context, caller) => {
      const { groups } = await listOwnGroups(context, caller, { limit: maxListed, page: 1 });
      return groups.map(({ id, name }) => ({ id: String(id), name }));
    },
  },
  serviceId: {
    noun: "service",
    idPattern: uuidPattern,
    list: (context, caller) => listAllServices(context, caller),
  },
  incidentId: {
    noun: "incident",
    idPattern: uuidPattern,
    list: (context, caller) =>
      listActiveIncidents(context, caller, { limit: maxListed, from: null, to: null }),
  },
  channelId: {
    noun: "alert channel",
    idPattern: number,
    list: async (context, caller) => {
      const { channels } = await listOwnChannels(context, caller, { limit: maxListed, page: 1 });
      return channels.map((one) => ({ id: String(one.id), name: describeChannel(one) }));
    },
  },
  memberId: {
    noun: "member",
    idPattern: uuidPattern,
    list: async (context, caller) => {
      const people = await listRoster(context, caller, { type: "member", limit: maxListed });
      return people.flatMap(({ id, email, ...one }) => {
        const name = one.type === "member" ? one.name : null;
        return [...(name === null ? [] : [{ id, name }]), { id, name: email }];
      });
    },
  },
  scheduleId: {
    noun: "schedule",
    idPattern: uuidPattern,
    list: ({ db }, { accountId }) => listEverySchedule(db, accountId),
  },
  location: {
    noun: "location",
    // Matches the codes of public regions. Also matches the code of a private location if the code
    // contains no capital letters, and the names of some locations.
    idPattern: /^[a-z0-9-]{1,64}$/,
    isAlsoName: true,
    list: async (context, caller) =>
      (await listAccountPlaces(context, caller.accountId)).map(({ region, name }) => ({
        id: region,
        name,
      })),
  },
};

const timeKeys: ReadonlySet<string> = new Set(["from", "to", "previousFrom", "previousTo"]);

const fold = (text: string) => text.trim().toLowerCase();

/**
 * Returns the items with this name. If there are none, returns the items whose name contains the
 * text.
 */
function pickByName(all: readonly Named[], requested: string): readonly Named[] {
  const exact = all.filter(({ name }) => fold(name) === fold(requested));
  const found =
    exact.length > 0 ? exact : all.filter(({ name }) => fold(name).includes(fold(requested)));
  // Removes duplicates, because a member is listed once by name and once by email address.
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

const maxCandidates = 10;

function describeCandidates(candidates: readonly Named[]): string {
  const shown = candidates
    .slice(0, maxCandidates)
    .map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  const rest = candidates.length - shown.length;
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function suggest(all: readonly Named[], requested: string): string {
  const words = fold(requested)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= 3);
  const near = all.filter(({ name }) => words.some((word) => fold(name).includes(word)));
  return near.length === 0 ? "" : `; similar names: ${describeCandidates(near)}`;
}

async function resolveName(
  { context, caller }: { readonly context: AgentContext; readonly caller: Caller },
  key: string,
  requested: string,
): Promise<string> {
  const reference = references[key];
  if (reference === undefined) return requested;
  const isPlausibleId = reference.idPattern.test(requested);
  if (isPlausibleId && !reference.isAlsoName) return requested;
  const all = await reference.list(context, caller, requested);
  if (reference.isAlsoName && all.some(({ id }) => id === requested)) return requested;
  const [found, ...others] = pickByName(all, requested);
  const { noun } = reference;
  if (found === undefined && isPlausibleId) return requested;
  if (found === undefined) {
    throw invalid(
      key,
      `must name a ${noun} of this account by id or name${suggest(all, requested)}`,
    );
  }
  if (others.length > 0) {
    const list = describeCandidates([found, ...others]);
    throw invalid(key, `matches several: ${list}. Use an id`);
  }
  return found.id;
}

/**
 * Replaces names with ids, and relative times with absolute times. The user sees and confirms the
 * resulting input, and exactly this input is executed.
 */
export async function resolveInput(
  context: AgentContext,
  caller: Caller,
  input: unknown,
): Promise<unknown> {
  const resolved: Record<string, unknown> = { ...(input as Record<string, unknown>) };
  for (const [key, value] of Object.entries(resolved)) {
    if (typeof value === "string" && timeKeys.has(key)) {
      resolved[key] = resolveTime(value, context.clock.now());
    } else if (typeof value === "string") {
      resolved[key] = await resolveName({ context, caller }, key, value);
    } else if (Array.isArray(value) && Object.hasOwn(references, key)) {
      const names: string[] = [];
      for (const one of value) names.push(await resolveName({ context, caller }, key, one));
      resolved[key] = names;
    }
  }
  return resolved;
}
