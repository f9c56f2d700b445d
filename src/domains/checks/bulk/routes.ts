import { Type } from "typebox";
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
import { frequencies } from "../check-settings.ts";
import { listFilterFields } from "../list-filter.ts";
import { type BulkAnswer, changeChecks, maxBulkFound, maxBulkIds } from "./actions.ts";
import { bulkActions } from "./bulk-change.ts";

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
