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
} from "./user.ts";

const tags = ["Users"];

export function addUserRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/users/me",
    {
      config: { access: "read", isOpenWithoutSecondFactor: true },
      schema: {
        tags,
        operationId: "getOwnUser",
        summary: "Get your user",
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
          "Needs a session and the password. If the server can send mail, the address stays " +
          "unchanged and `pendingEmail` contains the new one until the mailed link is opened " +
          "within 24 hours; otherwise the change takes effect immediately. 409 if the address is " +
          "in use, or if the mail could not be sent.",
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
        summary: "Confirm your new email address",
        description:
          "Takes the token of the mailed link, which works once. Needs a session of the user who " +
          "requested the change.",
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
        summary: "Cancel the pending change of your email address",
        description: "The mailed link stops working. 404 if no change is pending.",
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
        summary: "Change your password",
        description:
          "Ends every other session; API keys stay valid. Needs the current password, except " +
          "within an hour after a sign-in with a one-time link.",
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
