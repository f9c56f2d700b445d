import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { changePassword, renameSelf, viewSelf } from "./actions.ts";
import { OwnUserSchema, PasswordChange, toWireUser, UserChange, UserSchema } from "./schema.ts";

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
        description: "Only the name can be changed here.",
        body: UserChange,
        response: answers({ 200: UserSchema }, "notFound"),
      },
    },
    async ({ caller, body }) => toWireUser(await renameSelf(context, caller, body)),
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
