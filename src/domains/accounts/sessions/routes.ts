import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { challengeUser } from "../second-factors/challenge-user.ts";
import { SignInChallengeSchema, toWireChallenge } from "../second-factors/schema.ts";
import {
  endOtherSessions,
  endSession,
  listOwnSessions,
  provePassword,
  signOut,
} from "./actions.ts";
import { writeEndedCookie } from "./cookie.ts";
import { openSession, presentSession, readSessionOrigin } from "./opened-session.ts";
import {
  CreatedSessionSchema,
  SessionList,
  SessionParams,
  SignInBody,
  toWireSession,
} from "./schema.ts";
import type { Session } from "./session.ts";

const tags = ["Sessions"];

export function addSessionRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "createSession",
        summary: "Sign in; the answer sets a cookie",
        description:
          "For browsers. Programs send an API key instead. Repeated wrong passwords are " +
          "slowed down. Who has a second factor is answered 202 and no cookie: the challenge " +
          "token and the second factor together then open the session.",
        body: SignInBody,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers(
          { 201: CreatedSessionSchema, 202: SignInChallengeSchema },
          "invalidRequest",
          "badSignIn",
        ),
      },
    },
    async (request, reply) => {
      const origin = { ...readSessionOrigin(request), way: "PASSWORD" as const };
      const user = await provePassword(context, { ...request.body, address: origin.address });
      const proven = { user, way: origin.way, host: request.host };
      const challenge = await challengeUser(context, proven);
      if (challenge !== null) return reply.code(202).send(toWireChallenge(challenge));
      const opened = await openSession(context, user, origin);
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
  server.get(
    "/v1/sessions",
    {
      config: { access: "read", isOpenWithoutSecondFactor: true },
      schema: {
        tags,
        operationId: "listSessions",
        summary: "List where you are signed in",
        description: "Every session of yours that has not ended, with where it was opened from.",
        response: answers({ 200: SessionList }, "notFound"),
      },
    },
    async ({ caller }) => {
      const sessions = await listOwnSessions(context, caller);
      const isCurrent = ({ id }: Session) => id === caller.credentialId;
      return sessions.map((one) => ({ ...toWireSession(one), isCurrent: isCurrent(one) }));
    },
  );
  server.delete(
    "/v1/sessions",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteOtherSessions",
        summary: "End all your other sessions",
        description: "The one that the request came with stays; with an API key, none does.",
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller }, reply) => {
      await endOtherSessions(context, caller);
      return reply.code(204).send(null);
    },
  );
  server.delete(
    "/v1/sessions/current",
    {
      config: { access: "self", isOpenWithoutSecondFactor: true },
      schema: {
        tags,
        operationId: "deleteCurrentSession",
        summary: "Sign out of this session",
        description: "Ends the session whose cookie came with the request, and drops the cookie.",
        answerHeaders: ["Set-Cookie"],
        response: answers({ 204: Nothing }),
      },
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
        operationId: "deleteSession",
        summary: "End one of your sessions",
        description: "Whoever uses it is signed out at once.",
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
