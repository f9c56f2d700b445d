import { Type } from "typebox";
import { type Caller, writeAuditEntries } from "../../../access/accounts/index.ts";
import {
  addSubscriptions,
  listExistingChannelIds,
  removeSubscriptions,
} from "../../../channels/alert-channels/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid } from "../../../platform/errors.ts";
import {
  answers,
  Described,
  Guid,
  maxInteger,
  OneOf,
  OrNull,
  RowId,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { CheckListContext } from "../actions.ts";
import { Locations, Slugs, Tags } from "../check-fields.ts";
import { findOffsetFault, frequencies } from "../check-settings.ts";
import { holdGroup } from "../groups/store.ts";
import { type ListFilter, listFilterFields } from "../list-filter-store.ts";
import { listStoredChecks } from "../lookup-store.ts";
import { findPlaceFaults } from "../reference-faults.ts";
import { assertMayMove, assertMayRegroup } from "../sending-guard.ts";
import {
  deleteBulkChecks,
  findFilteredIds,
  lockBulkChecks,
  type PlacedEdit,
  updateBulkChecks,
} from "../store.ts";
import {
  type BulkAction,
  type BulkChange,
  type BulkDecision,
  bulkActions,
  decideBulkChange,
} from "./bulk-change.ts";

const maxBulkIds = 1_000;
/** Maximum number of checks that a request with a filter may change. */
const maxBulkFound = 10_000;

interface BulkRequest {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: ListFilter | undefined;
  readonly expectedCount?: number | undefined;
  readonly action: BulkAction;
  readonly tags?: readonly string[] | undefined;
  readonly groupId?: number | null | undefined;
  readonly alertChannelIds?: readonly number[] | undefined;
  readonly frequency?: number | undefined;
  readonly frequencyOffset?: number | undefined;
  readonly locations?: readonly string[] | undefined;
  readonly privateLocations?: readonly string[] | undefined;
}

interface BulkAnswer {
  readonly id: string;
  readonly outcome: "changed" | "deleted" | "unchanged" | "refused" | "notFound";
  readonly message: string | null;
}

/** Rejects a request with contradicting fields or without a field that the action requires. */
function assertWhole(request: BulkRequest): void {
  const { ids, filter, expectedCount, action, tags, groupId } = request;
  if ((ids === undefined) === (filter === undefined)) {
    throw invalid("ids", "or filter is required, but not both");
  }
  if (filter !== undefined && expectedCount === undefined) {
    throw invalid("expectedCount", "must be the number of checks that the filter matches");
  }
  if ((action === "addTags" || action === "removeTags") && tags === undefined) {
    throw invalid("tags", `is required with ${action}`);
  }
  if (action === "move" && groupId === undefined) {
    throw invalid("groupId", "is required with move; null removes the checks from their group");
  }
  const isOfChannels = action === "addChannels" || action === "removeChannels";
  if (isOfChannels && request.alertChannelIds === undefined) {
    throw invalid("alertChannelIds", `is required with ${action}`);
  }
  if (action === "setFrequency") assertSchedule(request);
  if (action === "setLocations" && listPlaces(request).length === 0) {
    throw invalid("locations", "or privateLocations must contain a location");
  }
}

function assertSchedule({ frequency, frequencyOffset }: BulkRequest): void {
  if (frequency === undefined) throw invalid("frequency", "is required with setFrequency");
  const fault = findOffsetFault(frequency, frequencyOffset ?? null);
  if (fault !== null) throw invalid("frequencyOffset", fault);
}

const listPlaces = ({ locations = [], privateLocations = [] }: BulkRequest) => [
  ...locations,
  ...privateLocations,
];

async function findIds(
  context: CheckListContext,
  { accountId }: Caller,
  { ids, filter = {}, expectedCount }: BulkRequest,
): Promise<readonly string[]> {
  if (ids !== undefined) return [...new Set(ids.map((id) => id.toLowerCase()))];
  const silentIds = await context.listSilentIds(accountId);
  const facts = { silentIds, defaultLocation: context.defaultLocation };
  const found = await findFilteredIds(context.db, accountId, filter, {
    facts,
    limit: maxBulkFound,
  });
  if (found.length > maxBulkFound) {
    throw conflict(`the filter matches more than ${maxBulkFound} checks; narrow the filter`);
  }
  if (found.length !== expectedCount) {
    throw conflict(
      `the filter matches ${found.length} checks instead of ${expectedCount}; reload the list`,
    );
  }
  return found;
}

async function toChange(db: Database, caller: Caller, request: BulkRequest): Promise<BulkChange> {
  const { accountId } = caller;
  const { action, tags = [], groupId = null, alertChannelIds = [] } = request;
  const { frequency = 0, frequencyOffset = null } = request;
  const { locations = [], privateLocations = [] } = request;
  const isMove = action === "move" && groupId !== null;
  const group = isMove ? await holdGroup(db, accountId, groupId) : null;
  if (isMove && group === null) throw invalid("groupId", "does not exist in this account");
  assertMayMove(caller, group);
  const existing = await listExistingChannelIds(db, accountId, alertChannelIds);
  const unknown = alertChannelIds.findIndex((id) => !existing.has(id));
  if (unknown >= 0) throw invalid(`alertChannelIds.${unknown}`, "does not exist in this account");
  const places = { locations: [...new Set(locations)], privateLocations };
  const [fault] = await findPlaceFaults(db, accountId, { requested: places, before: null });
  if (fault !== undefined) throw invalid(fault.key, fault.rule);
  const schedule = { frequency, frequencyOffset };
  return { action, tags, group, alertChannelIds, schedule, places };
}

/** Applies a bulk change in one transaction and returns the outcome of each check. */
async function changeChecks(
  context: CheckListContext,
  caller: Caller,
  request: BulkRequest,
): Promise<BulkAnswer[]> {
  assertWhole(request);
  const ids = await findIds(context, caller, request);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const requested = await toChange(db, caller, request);
    const checks = await lockBulkChecks(db, caller.accountId, ids);
    const decided = checks.map((check) => ({ check, ...decideBulkChange(check, requested) }));
    if (requested.action === "move") {
      const moved = await listStoredChecks(db, caller.accountId, ids);
      await assertMayRegroup({ ...context, db }, caller, { checks: moved, group: requested.group });
    }
    const edits: PlacedEdit[] = decided.flatMap((one) =>
      one.outcome === "changed" ? [{ id: one.check.id, edit: one.edit }] : [],
    );
    await updateBulkChecks(db, caller.accountId, { edits, at });
    const gone = decided.filter(({ outcome }) => outcome === "deleted");
    await deleteBulkChecks(
      db,
      caller.accountId,
      gone.map(({ check }) => check.id),
    );
    const connected = await connectChannels(db, caller, { decided, requested });
    await writeAuditEntries(db, caller, [
      ...connected.map((id) => ({
        action: "check.updated",
        targetId: id,
        changes: { fields: ["alertChannelSubscriptions"], bulk: request.action },
        at,
      })),
      ...edits.map(({ id, edit }) => ({
        action: "check.updated",
        targetId: id,
        changes: { fields: Object.keys(edit), bulk: request.action },
        at,
      })),
      ...gone.map(({ check: { id, name } }) => ({
        action: "check.deleted",
        targetId: id,
        changes: { name, bulk: request.action },
        at,
      })),
    ]);
    const outcomes = new Map(decided.map((one) => [one.check.id, one]));
    return ids.map((id) => toAnswer(id, outcomes.get(id)));
  });
}

/** Subscribes or unsubscribes checks. Returns the checks whose subscriptions changed. */
async function connectChannels(
  db: Database,
  { accountId }: Caller,
  about: {
    readonly decided: readonly ({ readonly check: { readonly id: string } } & BulkDecision)[];
    readonly requested: BulkChange;
  },
): Promise<string[]> {
  const { alertChannelIds } = about.requested;
  const idsOf = (requested: BulkDecision["outcome"]) =>
    about.decided.filter(({ outcome }) => outcome === requested).map(({ check }) => check.id);
  const connected = idsOf("connected");
  const disconnected = idsOf("disconnected");
  const change = { alertChannelIds, groupIds: [] };
  if (connected.length > 0) {
    await addSubscriptions(db, accountId, { ...change, checkIds: connected });
  }
  if (disconnected.length > 0) {
    await removeSubscriptions(db, accountId, { ...change, checkIds: disconnected });
  }
  return [...connected, ...disconnected];
}

function toAnswer(id: string, decision: BulkDecision | undefined): BulkAnswer {
  if (decision === undefined) return { id, outcome: "notFound", message: null };
  const message = decision.outcome === "refused" ? decision.message : null;
  const isConnection = decision.outcome === "connected" || decision.outcome === "disconnected";
  return { id, outcome: isConnection ? "changed" : decision.outcome, message };
}

const BulkBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Guid, {
        description: "Which checks; or `filter` says it.",
        minItems: 1,
        maxItems: maxBulkIds,
      }),
    ),
    filter: Type.Optional(
      Type.Object(listFilterFields, {
        description: "Which checks, as `GET /v1/check-overviews` filters them.",
        additionalProperties: false,
      }),
    ),
    expectedCount: Type.Optional(
      Type.Integer({
        description: "With `filter`: the expected number of matches. Returns 409 if it differs.",
        minimum: 0,
        maximum: maxBulkFound,
      }),
    ),
    action: Described(OneOf(bulkActions), "The action to apply to the checks.", "mute"),
    tags: Described(Type.Optional(Tags), "With `addTags` and `removeTags`: which.", ["production"]),
    groupId: Described(
      Type.Optional(OrNull(RowId)),
      "With `move`: the target group; `null` to remove checks from their group.",
      3,
    ),
    alertChannelIds: Type.Optional(
      Type.Array(RowId, {
        description: "With `addChannels` and `removeChannels`: which channels.",
        minItems: 1,
        maxItems: 100,
        examples: [[7]],
      }),
    ),
    frequency: Type.Optional(
      Type.Integer({
        description: "With `setFrequency`: minutes between runs; if 0, see `frequencyOffset`.",
        enum: [...frequencies],
        examples: [1],
      }),
    ),
    frequencyOffset: Type.Optional(
      Type.Integer({
        description: "With `setFrequency` and frequency 0: seconds between runs, 10, 20 or 30.",
        minimum: 1,
        maximum: maxInteger,
        examples: [30],
      }),
    ),
    locations: Described(
      Type.Optional(Locations),
      "With `setLocations`: the new public locations.",
      ["eu-central-1"],
    ),
    privateLocations: Described(
      Type.Optional(Slugs),
      "With `setLocations`: slugs of the new private locations.",
      ["office"],
    ),
  },
  { title: "BulkChange" },
);

const BulkAnswerSchema = Type.Object(
  {
    changed: Type.Integer({ description: "Number of checks changed or deleted.", examples: [1] }),
    checks: Type.Array(
      Type.Object({
        id: Described(Guid, "The check's id."),
        outcome: Described(
          OneOf(["changed", "deleted", "unchanged", "refused", "notFound"]),
          "The outcome; `unchanged` if nothing had to change.",
        ),
        message: Described(OrNull(Type.String()), "Why it was rejected; `null` otherwise.", null),
      }),
      { description: "The outcome of each check." },
    ),
  },
  { title: "BulkAnswer" },
);

function toWireAnswer(checks: readonly BulkAnswer[]) {
  const isDone = ({ outcome }: BulkAnswer) => outcome === "changed" || outcome === "deleted";
  return { changed: checks.filter(isDone).length, checks: [...checks] };
}

export function addBulkRoutes(server: HttpServer, context: CheckListContext): void {
  server.post(
    "/v1/checks/bulk",
    {
      config: { access: "write" },
      schema: {
        tags: ["Checks"],
        operationId: "changeChecks",
        summary: "Mute, activate, tag, move, connect, reschedule or delete many checks",
        description:
          "All in one transaction; the response contains the outcome of each check. A deletion is " +
          "final and includes results, statuses and alerts.",
        body: BulkBody,
        response: answers({ 200: BulkAnswerSchema }, "conflict"),
      },
    },
    async ({ caller, body }) => toWireAnswer(await changeChecks(context, caller, body)),
  );
}
