import { type TObject, Type } from "typebox";
import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import {
  acceptInvite,
  changeMemberRole,
  inviteMember,
  listRoster,
  removeMember,
  withdrawInvite,
} from "./actions.ts";
import {
  CreatedInviteSchema,
  InviteAnswer,
  InviteBody,
  InviteParams,
  MemberChange,
  MemberParams,
  MemberSchema,
  RosterPage,
  RosterQuery,
  toWireInvite,
  toWireMember,
  toWireRoster,
} from "./schema.ts";

const tags = ["Members"];

interface AccountPath {
  readonly prefix: string;
  readonly named: TObject;
  /** Tells the twins apart in the reference. */
  readonly which: string;
  /** Does the same in the names of their operations. */
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
          "Members first, then invites, in pages: `nextId` of an answer asks for the " +
          "next one. All filters must match.",
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
        description: "An account always keeps an owner: the last one cannot become anything else.",
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
          "Their keys and sessions lose the account at once. The last owner cannot be " +
          "removed.",
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
        summary: `Invite somebody; the answer shows the token once${which}`,
        description:
          "Hand the token to the person yourself. An invite that nobody accepts expires.",
        params: named,
        body: InviteBody,
        response: answers({ 201: CreatedInviteSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const { token, ...invite } = await inviteMember(context, caller, body);
      const wire = toWireInvite(invite, caller.accountId, context.clock.now());
      return reply.code(201).send({ ...wire, token });
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
        description: "Its token stops working at once.",
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

export function addInviteAnswerRoute(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/invites/accept",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "acceptInvite",
        summary: "Join the account that an invite is for",
        description:
          "Needs no key: the token is the proof. Somebody new gets a user with this " +
          "password; somebody known must give the password they have.",
        body: InviteAnswer,
        response: publicAnswers({ 201: MemberSchema }, "invalidRequest", "notFound"),
      },
    },
    async ({ body, ip }, reply) => {
      const { token, name = null, password } = body;
      const person = { name, password };
      const joined = await acceptInvite(context, { token, person, address: ip });
      return reply.code(201).send(toWireMember(joined.member, joined.accountId));
    },
  );
}
