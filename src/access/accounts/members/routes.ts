import { type TObject, Type } from "typebox";
import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { openSession, presentSession, readSessionOrigin } from "../sessions/actions.ts";
import {
  acceptInvite,
  changeMemberRole,
  inviteMember,
  joinByInvite,
  listRoster,
  removeMember,
  viewInvite,
  withdrawInvite,
} from "./actions.ts";
import {
  CreatedInviteSchema,
  InviteAnswer,
  InviteBody,
  InviteParams,
  InviteToken,
  InviteViewSchema,
  MemberChange,
  MemberParams,
  MemberSchema,
  RosterPage,
  RosterQuery,
  toWireInvite,
  toWireInviteView,
  toWireMember,
  toWireRoster,
} from "./schema.ts";

const tags = ["Members"];

interface AccountPath {
  readonly prefix: string;
  readonly named: TObject;
  /**
   * Suffix of the routes' summaries, such as ", by account id". Each route exists under two URL
   * prefixes, and the suffix distinguishes the two routes in the API reference.
   */
  readonly which: string;
  /**
   * Part of the operation ids, such as "Own" in `listOwnMembers`, that distinguishes the routes
   * under the two URL prefixes.
   */
  readonly own: string;
}

export function addMemberRoutes(
  server: HttpServer,
  context: AccountsContext,
  { prefix, named, which, own }: AccountPath,
): void {
  server.get(
    `${prefix}/members`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: `list${own}Members`,
        summary: `List the members and open invites${which}`,
        description:
          "Members first, then invites. Paginated: pass `nextId` of the response to fetch the " +
          "next page. All filters must match.",
        params: named,
        querystring: RosterQuery,
        response: answers({ 200: RosterPage }),
      },
    },
    async ({ caller, query }) => {
      const entries = await listRoster(context, caller, { ...query, limit: query.limit + 1 });
      const { accountId } = caller;
      return toWireRoster(entries, { accountId, limit: query.limit, now: context.clock.now() });
    },
  );
  server.patch(
    `${prefix}/members/:userId`,
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: `update${own}Member`,
        summary: `Change a member's role${which}`,
        description:
          "An account always has an owner: the role of the last owner cannot be changed.",
        params: Type.Object({ ...named.properties, ...MemberParams.properties }),
        body: MemberChange,
        response: answers({ 200: MemberSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) => {
      const change = { userId: params.userId, role: body.role };
      return toWireMember(await changeMemberRole(context, caller, change), caller.accountId);
    },
  );
  server.delete(
    `${prefix}/members/:userId`,
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: `delete${own}Member`,
        summary: `Remove a member${which}`,
        description:
          "Their keys and sessions lose access to the account immediately. The last owner cannot " +
          "be removed.",
        params: Type.Object({ ...named.properties, ...MemberParams.properties }),
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeMember(context, caller, params.userId);
      return reply.code(204).send(null);
    },
  );
  addInviteRoutes(server, context, { prefix, named, which, own });
}

function addInviteRoutes(
  server: HttpServer,
  context: AccountsContext,
  { prefix, named, which, own }: AccountPath,
): void {
  server.post(
    `${prefix}/invites`,
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: `create${own}Invite`,
        summary: `Invite a person by mail or with a link${which}`,
        description:
          "If the server can send mail, it mails the link to the person; otherwise pass on `url` " +
          "yourself, which is only in this response. The link works once and expires after seven days.",
        params: named,
        body: InviteBody,
        response: answers({ 201: CreatedInviteSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const sent = await inviteMember(context, caller, body);
      const wire = toWireInvite(sent, caller.accountId, context.clock.now());
      const { token, url, isMailed, mailFault } = sent;
      return reply.code(201).send({ ...wire, token, url, isMailed, mailFault });
    },
  );
  server.delete(
    `${prefix}/invites/:inviteId`,
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: `delete${own}Invite`,
        summary: `Withdraw an invite${which}`,
        description: "The token stops working immediately.",
        params: Type.Object({ ...named.properties, ...InviteParams.properties }),
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await withdrawInvite(context, caller, params.inviteId);
      return reply.code(204).send(null);
    },
  );
}

/** Adds the routes for holders of an invite token. */
export function addInviteAnswerRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/invites/view",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "viewInvite",
        summary: "Get the invite of a token",
        description:
          "Needs no key: the token authenticates the request. It is sent in the body because " +
          "bodies are never logged. The invite stays open.",
        body: InviteToken,
        response: publicAnswers({ 200: InviteViewSchema }, "invalidRequest", "notFound"),
      },
    },
    async ({ body }) => toWireInviteView(await viewInvite(context, body.token)),
  );
  server.post(
    "/v1/invites/accept",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "acceptInvite",
        summary: "Accept an invite",
        description:
          "Needs no key: the token authenticates the request. A new user is created with this " +
          "password, and the response sets a session cookie. An existing user must send their " +
          "current password, and then signs in.",
        body: InviteAnswer,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers({ 201: MemberSchema }, "invalidRequest", "notFound", "conflict"),
      },
    },
    async (request, reply) => {
      const { token, name = null, password } = request.body;
      const origin = readSessionOrigin(request);
      const joined = await acceptInvite(context, { token, name, password, ...origin });
      if (joined.isNew) {
        const opened = await openSession(context, joined.user, { ...origin, way: "INVITE" });
        presentSession(context, reply, opened);
      }
      return reply.code(201).send(toWireMember(joined.member, joined.accountId));
    },
  );
  server.post(
    "/v1/invites/join",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "joinByInvite",
        summary: "Accept an invite as the signed-in user",
        description:
          "Needs the session of a user with the invited address; any other user receives 409.",
        body: InviteToken,
        response: answers({ 201: MemberSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const joined = await joinByInvite(context, caller, body.token);
      return reply.code(201).send(toWireMember(joined.member, joined.accountId));
    },
  );
}
