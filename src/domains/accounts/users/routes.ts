import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { changePassword, renameSelf, viewSelf } from "./actions.ts";
import { cancelEmailChange, changeEmail, confirmEmail } from "./email-change.ts";
import {
  EmailChangeInput,
  EmailConfirmation,
  OwnUserSchema,
  PasswordChange,
  toWireUser,
  UserChange,
  UserSchema,
} from "./schema.ts";

const tags = ["Users"];

export function addUserRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/users/me",
    {
      config: { access: "read", isOpenWithoutSecondFactor: true },
      schema: {
        tags,
        operationId: "getOwnUser",
        summary: "Read who you are",
        description: "The user of the session or of the key. A service key has no user: 404.",
        response: answers({ 200: OwnUserSchema }, "notFound"),
      },
    },
    async ({ caller }) => viewSelf(context, caller),
  );
  server.patch(
    "/v1/users/me",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateOwnUser",
        summary: "Change your name",
        description:
          "Only the name can be changed here; `PUT /v1/users/me/email` changes the address.",
        body: UserChange,
        response: answers({ 200: UserSchema }, "notFound"),
      },
    },
    async ({ caller, body }) => toWireUser(await renameSelf(context, caller, body)),
  );
  server.put(
    "/v1/users/me/email",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateOwnEmail",
        summary: "Change your email address",
        description:
          "Needs a session and the password. Where the server sends mail, the address stays as " +
          "it is and `pendingEmail` is the new one until the mailed link is opened within 24 " +
          "hours; otherwise the new address counts at once. 409 if somebody has the address, or " +
          "if no mail could be sent to it.",
        body: EmailChangeInput,
        response: answers({ 200: OwnUserSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }) => changeEmail(context, caller, body),
  );
  server.post(
    "/v1/users/me/email/confirm",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "confirmOwnEmail",
        summary: "Confirm your new email address with the token of the mailed link",
        description: "Needs a session of the user who asked for the change. The token works once.",
        body: EmailConfirmation,
        response: answers({ 200: OwnUserSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }) => confirmEmail(context, caller, body.token),
  );
  server.delete(
    "/v1/users/me/email/pending",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deletePendingEmail",
        summary: "Keep your email address: the change that waits is dropped",
        description: "The mailed link no longer works. 404 if no change waits.",
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller }, reply) => {
      await cancelEmailChange(context, caller);
      return reply.code(204).send(null);
    },
  );
  server.put(
    "/v1/users/me/password",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateOwnPassword",
        summary: "Change your password; every other session ends",
        description:
          "Needs the current password, except for an hour after a one-time link has signed you " +
          "in. API keys stay valid.",
        body: PasswordChange,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      await changePassword(context, caller, body);
      return reply.code(204).send(null);
    },
  );
}
