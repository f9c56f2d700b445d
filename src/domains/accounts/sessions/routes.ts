import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { sessionCookie } from "../authentication.ts";
import type { AccountsContext } from "../context.ts";
import { toWireUser } from "../users/schema.ts";
import { endSession, listOwnSessions, signIn, signOut } from "./actions.ts";
import {
  CreatedSessionSchema,
  SessionList,
  SessionParams,
  SignInBody,
  toWireSession,
} from "./schema.ts";

const tags = ["Sessions"];
const maxUserAgentLength = 255;

export function addSessionRoutes(server: HttpServer, context: AccountsContext): void {
  const cookie = () =>
    ({ path: "/", httpOnly: true, sameSite: "lax", secure: context.isSecure() }) as const;

  server.post(
    "/v1/sessions",
    {
      config: { access: "public" },
      schema: {
        tags,
        summary: "Sign in; the answer sets a cookie",
        body: SignInBody,
        response: publicAnswers({ 201: CreatedSessionSchema }, "invalidRequest", "badSignIn"),
      },
    },
    async ({ body, ip, id, headers }, reply) => {
      const userAgent = headers["user-agent"]?.slice(0, maxUserAgentLength) ?? null;
      const attempt = { ...body, address: ip, requestId: id, userAgent };
      const { session, token, user } = await signIn(context, attempt);
      reply.setCookie(sessionCookie, token, { ...cookie(), expires: session.expiresAt });
      return reply.code(201).send({ ...toWireSession(session), user: toWireUser(user) });
    },
  );
  server.get(
    "/v1/sessions",
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "List where you are signed in",
        response: answers({ 200: SessionList }, "notFound"),
      },
    },
    async ({ caller }) => (await listOwnSessions(context, caller)).map(toWireSession),
  );
  server.delete(
    "/v1/sessions/current",
    {
      config: { access: "self" },
      schema: { tags, summary: "Sign out", response: answers({ 204: Nothing }) },
    },
    async ({ caller }, reply) => {
      await signOut(context, caller);
      return reply.clearCookie(sessionCookie, cookie()).code(204).send(null);
    },
  );
  server.delete(
    "/v1/sessions/:id",
    {
      config: { access: "self" },
      schema: {
        tags,
        summary: "End one of your sessions",
        params: SessionParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await endSession(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
