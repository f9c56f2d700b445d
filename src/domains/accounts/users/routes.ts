import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { changePassword, getSelf, renameSelf } from "./actions.ts";
import { PasswordChange, toWireUser, UserChange, UserSchema } from "./schema.ts";

const tags = ["Users"];

export function addUserRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/users/me",
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "Read who you are",
        response: answers({ 200: UserSchema }, "notFound"),
      },
    },
    async ({ caller }) => toWireUser(await getSelf(context, caller)),
  );
  server.patch(
    "/v1/users/me",
    {
      config: { access: "self" },
      schema: {
        tags,
        summary: "Change your name",
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
        summary: "Change your password; every other session ends",
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
