import { answers, Nothing, sendTotal } from "../../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ChecksContext } from "../actions.ts";
import { tagGroup } from "../check-tag.ts";
import { showGroup } from "../client-answers.ts";
import { acceptClientGroup } from "../client-bodies.ts";
import { AutoAssignQuery, createView } from "../schema.ts";
import {
  changeGroup,
  createGroup,
  getGroup,
  listGroupChecks,
  listOwnGroups,
  removeGroup,
} from "./actions.ts";
import {
  GroupBody,
  GroupChange,
  GroupList,
  GroupMembers,
  GroupParams,
  GroupQuery,
  GroupSchema,
  toWireGroup,
} from "./schema.ts";

const tags = ["Check groups"];

/** The operations of both versions accept the same bodies; settings may be `null` in either. */
const writePaths = [
  { path: "/v1/check-groups", suffix: "", which: "" },
  { path: "/v2/check-groups", suffix: "V2", which: ", version 2" },
] as const;

function addGroupWriteRoutes(
  server: HttpServer,
  context: ChecksContext,
  { path, suffix, which }: (typeof writePaths)[number],
): void {
  server.post(
    path,
    {
      preValidation: acceptClientGroup,
      config: { access: "write" },
      schema: {
        tags,
        operationId: `createCheckGroup${suffix}`,
        summary: `Create a check group${which}`,
        description: "Checks join the group through their `groupId`.",
        querystring: AutoAssignQuery,
        body: GroupBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: GroupSchema }),
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const group = await createGroup(context, caller, body);
      reply.code(201);
      return sendTagged(reply, tagGroup(group), showGroup(context, request, group));
    },
  );
  server.put(
    `${path}/:id`,
    {
      preValidation: acceptClientGroup,
      config: { access: "write" },
      schema: {
        tags,
        operationId: `updateCheckGroup${suffix}`,
        summary: `Update a check group${which}; changes apply to its checks at their next run`,
        description:
          "Omitted fields keep their value. With `If-Match`, fails if the group was changed " +
          "since it was read.",
        headers: IfMatchHeaders,
        params: GroupParams,
        querystring: AutoAssignQuery,
        body: GroupChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: GroupSchema }, "notFound", "preconditionFailed"),
      },
    },
    async (request, reply) => {
      const { caller, headers, params, body } = request;
      const change = { id: params.id, input: body, ifMatch: headers["if-match"] };
      const group = await changeGroup(context, caller, change);
      return sendTagged(reply, tagGroup(group), showGroup(context, request, group));
    },
  );
}

export function addGroupRoutes(server: HttpServer, context: ChecksContext): void {
  for (const versioned of writePaths) addGroupWriteRoutes(server, context, versioned);
  server.get(
    "/v1/check-groups",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckGroups",
        summary: "List check groups",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        querystring: GroupQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: GroupList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { groups, total } = await listOwnGroups(context, caller, query);
      sendTotal(reply, query, total);
      return groups.map((group) => toWireGroup(group, createView(context, caller)));
    },
  );
  server.get(
    "/v1/check-groups/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckGroup",
        summary: "Get one check group",
        description: "The settings that its checks share, with an `ETag` for conditional updates.",
        params: GroupParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: GroupSchema }, "notFound"),
      },
    },
    async (request, reply) => {
      const group = await getGroup(context, request.caller, request.params.id);
      return sendTagged(reply, tagGroup(group), showGroup(context, request, group));
    },
  );
  server.delete(
    "/v1/check-groups/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteCheckGroup",
        summary: "Delete a check group that has no checks",
        description:
          "Returns 409 if the group still has checks. With `If-Match`, fails if the group was " +
          "changed since it was read.",
        headers: IfMatchHeaders,
        params: GroupParams,
        response: answers({ 204: Nothing }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params }, reply) => {
      await removeGroup(context, caller, { id: params.id, ifMatch: headers["if-match"] });
      return reply.code(204).send(null);
    },
  );
  server.get(
    "/v1/check-groups/:id/checks",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckGroupChecks",
        summary: "List the checks of a group",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        params: GroupParams,
        querystring: GroupQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: GroupMembers }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const { checks, total } = await listGroupChecks(context, caller, { ...params, ...query });
      sendTotal(reply, query, total);
      return checks.map(({ id, kind }) => ({ id, checkType: kind }));
    },
  );
}
