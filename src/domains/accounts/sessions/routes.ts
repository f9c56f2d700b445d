import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { toWireUser } from "../users/schema.ts";
import { endSession, listOwnSessions, signIn, signOut } from "./actions.ts";
import { writeEndedCookie, writeSessionCookie } from "./cookie.ts";
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
      const cookie = { value: token, expires: session.expiresAt, isSecure: context.isSecure() };
      reply.header("set-cookie", writeSessionCookie(cookie));
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
      schema: { tags, summary: "Sign out of this session", response: answers({ 204: Nothing }) },
    },
    async ({ caller }, reply) => {
      await signOut(context, caller);
      reply.header("set-cookie", writeEndedCookie(context.isSecure()));
      return reply.code(204).send(null);
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
