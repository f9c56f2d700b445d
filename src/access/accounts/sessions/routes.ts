import { Type } from "typebox";
import {
  answers,
  Described,
  Nothing,
  ObjectOrNull,
  OrNull,
  publicAnswers,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { oidcStartPath } from "../oidc/oidc.ts";
import { findRelyingParty } from "../passkeys/relying-party.ts";
import { challengeUser } from "../second-factors/actions.ts";
import { SignInChallengeSchema, toWireChallenge } from "../second-factors/schema.ts";
import {
  endOtherSessions,
  endSession,
  listOwnSessions,
  openSession,
  presentSession,
  provePassword,
  readSessionOrigin,
  signOut,
} from "./actions.ts";
import {
  CreatedSessionSchema,
  type Session,
  SessionList,
  SessionParams,
  SignInBody,
  toWireSession,
  writeEndedCookie,
} from "./session.ts";

const SignInWaysSchema = Type.Object(
  {
    password: Type.Boolean({
      description: "Whether users can sign in with email address and password.",
    }),
    passwordReset: Type.Boolean({
      description: "Whether the server can mail password reset links.",
    }),
    passkey: Type.Object(
      {
        isUsable: Type.Boolean({
          description: "Whether passkeys are supported at the address of this request.",
        }),
        reason: Described(
          OrNull(Type.String()),
          "Why passkeys are not supported; `null` if they are.",
          null,
        ),
      },
      { description: "Sign-in with a passkey instead of a password." },
    ),
    oidc: Described(
      ObjectOrNull(
        Type.Object({
          name: Type.String({
            description: "Display name of the provider.",
            examples: ["Example ID"],
          }),
          path: Type.String({
            description:
              "URL that starts the sign-in. The `return` query parameter is the path to return to.",
            examples: ["/sign-in/oidc"],
          }),
        }),
      ),
      "Sign-in with an OpenID provider; `null` if none is configured.",
    ),
  },
  { title: "SignInWays" },
);

const tags = ["Sessions"];

export function addSessionRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "createSession",
        summary: "Sign in with email and password",
        description:
          "For browsers: the response sets a session cookie. Programs send an API key instead. " +
          "Repeated wrong passwords are rate limited. A user with a second factor receives 202 " +
          "with a challenge token and no cookie; the second step opens the session.",
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
        summary: "List your sessions",
        description: "All your open sessions, with the address each was opened from.",
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
        description: "The session of the request stays open. With an API key, all sessions end.",
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
        description: "Ends the session of the request and deletes the cookie.",
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
        description: "Its browser is signed out immediately.",
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

export function addSignInWaysRoute(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/sign-in-ways",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "getSignInWays",
        summary: "List the available sign-in methods",
        description:
          "Needs no key. Depends on the server's settings and, for passkeys, on the address of " +
          "the request.",
        response: publicAnswers({ 200: SignInWaysSchema }),
      },
    },
    async ({ host }) => {
      const party = findRelyingParty(context.configuredUrl, host);
      const { oidc } = context;
      return {
        password: true,
        passwordReset: context.mailer !== null,
        passkey: {
          isUsable: party.kind === "usable",
          reason: party.kind === "usable" ? null : party.reason,
        },
        oidc: oidc && { name: oidc.settings.name, path: oidcStartPath },
      };
    },
  );
}
