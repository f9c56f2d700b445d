import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Nothing,
  OneOf,
  OrNull,
  PageQuery,
  RowId,
  sendTotal,
  UpdatedAt,
} from "../../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { changeMute, endMute, getMute, listOwnMutes, muteTargets, tagMute } from "./actions.ts";
import { maxReasonLength, maxTargets, targetTypes } from "./mute.ts";
import type { NamedMute } from "./mute-store.ts";

const tags = ["Mutes"];

const TargetType = Described(
  OneOf(targetTypes),
  "CHECK, GROUP (all checks of a group), TAG (all checks with a tag, their own or their group's) " +
    "or ACCOUNT (all checks).",
  "CHECK",
);
const Tag = Type.String({ minLength: 1, maxLength: 255 });

const TargetBody = Type.Object({
  type: TargetType,
  checkId: Described(Type.Optional(OrNull(Guid)), "Required for CHECK: the check's id."),
  groupId: Described(Type.Optional(OrNull(RowId)), "Required for GROUP: the group's id.", null),
  tag: Described(Type.Optional(OrNull(Tag)), "Required for TAG: the tag.", null),
});

const Reason = Type.String({
  description: "Why it is muted, shown to everyone who reads the check. May be empty.",
  examples: ["The provider replaces a router"],
  maxLength: maxReasonLength,
});

const MuteManyBody = Type.Object(
  {
    targets: Type.Array(TargetBody, {
      description: "What is muted.",
      examples: [[{ type: "TAG", tag: "shop" }]],
      minItems: 1,
      maxItems: maxTargets,
    }),
    mutedUntil: Described(
      OrNull(DateTime),
      "When the mutes end, at most 366 days ahead; `null` ends the mutes of these targets now.",
      "2099-11-19T09:00:00.000Z",
    ),
    reason: Type.Optional(Reason),
  },
  { title: "MuteManyInput" },
);

const MuteBody = Type.Object(
  {
    mutedUntil: Described(
      DateTime,
      "When the mute ends, at most 366 days ahead.",
      "2099-11-19T09:00:00.000Z",
    ),
    reason: Type.Optional(Reason),
  },
  { title: "MuteInput" },
);

const MuteSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    target: Type.Object(
      {
        type: TargetType,
        checkId: Described(OrNull(Guid), "The muted check; `null` for other types."),
        groupId: Described(OrNull(RowId), "The muted group; `null` for other types.", null),
        tag: Described(OrNull(Type.String()), "The muted tag; `null` for other types.", null),
      },
      { description: "What is muted." },
    ),
    name: Type.String({
      description: "Name of the check or group, or the tag; empty for the account.",
      examples: ["Shop"],
    }),
    mutedUntil: Described(DateTime, "When it ends."),
    reason: Reason,
    author: Type.String({
      description: "Name of the person or API key that muted it, at that time.",
      examples: ["anna@example.com"],
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: "Mute" },
);

const MuteList = Type.Array(MuteSchema);
const MuteParams = Type.Object({ id: Described(Guid, "The mute's id.") });
const MutesQuerySchema = Type.Object({
  ...PageQuery,
  checkId: Described(
    Type.Optional(Guid),
    "Only mutes that apply to this check: its own, its group's, its tags' and the account's.",
  ),
  groupId: Described(Type.Optional(RowId), "Only mutes that apply to all checks of this group.", 7),
});

function toWireMute(mute: NamedMute) {
  const { id, target, name, endsAt, reason, author, createdAt, updatedAt } = mute;
  return {
    id,
    target,
    name,
    mutedUntil: formatDateTime(endsAt),
    reason,
    author,
    created_at: formatDateTime(createdAt),
    updated_at: updatedAt === null ? null : formatDateTime(updatedAt),
  };
}

function addListRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/mutes",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listMutes",
        summary: "List the mutes in force, first to end first",
        description:
          "Mutes that end by themselves. A check with `muted` is not listed. In pages of " +
          "`limit`; the total is in `Content-Range`.",
        querystring: MutesQuerySchema,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: MuteList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { mutes, total } = await listOwnMutes(context, caller, query);
      sendTotal(reply, query, total);
      return mutes.map(toWireMute);
    },
  );
  server.put(
    "/v1/mutes",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "muteUntil",
        summary: "Mute checks, groups, tags or the account until a time, or end their mutes",
        description:
          "Alerts are held, and runs are still recorded. When the mute ends, a check that still " +
          "fails alerts once; nothing is sent about a problem that began and ended meanwhile. A " +
          "target that is already muted gets the new end and reason. All targets are changed, or " +
          "none. Returns the mutes of the targets.",
        body: MuteManyBody,
        response: answers({ 200: MuteList }, "conflict"),
      },
    },
    async ({ caller, body }) => (await muteTargets(context, caller, body)).map(toWireMute),
  );
}

export function addMuteRoutes(server: HttpServer, context: AlertingContext): void {
  addListRoutes(server, context);
  server.get(
    "/v1/mutes/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getMute",
        summary: "Get a mute",
        description: "A mute that has ended is not found.",
        params: MuteParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: MuteSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const mute = await getMute(context, caller, params.id);
      return sendTagged(reply, tagMute(mute), toWireMute(mute));
    },
  );
  server.put(
    "/v1/mutes/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateMute",
        summary: "Change the end and the reason of a mute",
        description: "With `If-Match`, a change made since then causes 412.",
        headers: IfMatchHeaders,
        params: MuteParams,
        body: MuteBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: MuteSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const change = { ...body, id: params.id, ifMatch: headers["if-match"] };
      const mute = await changeMute(context, caller, change);
      return sendTagged(reply, tagMute(mute), toWireMute(mute));
    },
  );
  server.delete(
    "/v1/mutes/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "endMute",
        summary: "End a mute now",
        description: "Checks that still fail alert at once, as at the end of the mute.",
        headers: IfMatchHeaders,
        params: MuteParams,
        response: answers({ 204: Nothing }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params }, reply) => {
      await endMute(context, caller, { id: params.id, ifMatch: headers["if-match"] });
      return reply.code(204).send(null);
    },
  );
}
