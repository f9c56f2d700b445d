import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "../../../pages/html.ts";
import { renderPlainPage } from "../../../pages/plain-page.ts";
import { KnownError } from "../../../platform/errors.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { type IssuedChallenge, presentSecret, spendChallenge } from "../credentials.ts";
import { challengeUser, type SecondFactorChallenge } from "../second-factors/actions.ts";
import {
  type OpenedSession,
  openSession,
  presentSession,
  readSessionOrigin,
} from "../sessions/actions.ts";
import { readSessionToken, type SessionOrigin } from "../sessions/session.ts";
import { admitPerson, type OwnSession } from "./admission.ts";
import { decidePerson, decideReturn, OidcRejection, oidcStartPath, rejections } from "./oidc.ts";
import type { OidcProvider } from "./provider.ts";

const callbackPath = "/sign-in/oidc/callback";

function getProvider({ oidc }: AccountsContext): OidcProvider {
  if (oidc === null) throw new OidcRejection("not-set-up");
  return oidc;
}

function callbackUrl(context: AccountsContext): URL {
  return new URL(`${context.publicUrl()}${callbackPath}`);
}

interface OidcStart {
  readonly url: string;
  /** Token for a cookie, so that only this browser can finish the sign-in. */
  readonly ticket: IssuedChallenge;
}

async function beginOidcSignIn(
  context: AccountsContext,
  request: { readonly returnTo: string | null; readonly sessionToken: string | null },
): Promise<OidcStart> {
  const { url, ...pending } = await getProvider(context).begin(callbackUrl(context).href);
  const session = await findOwnSession(context, request.sessionToken);
  const content = { ...pending, returnTo: decideReturn(request.returnTo), session };
  return { url, ticket: context.challenges.issue("oidc", content) };
}

async function findOwnSession(
  { credentials }: AccountsContext,
  token: string | null,
): Promise<OwnSession | null> {
  const found = token === null ? null : await credentials.find(presentSecret("SESSION", token));
  if (found === null || found.userId === null) return null;
  return { id: found.id, userId: found.userId };
}

type OidcOutcome =
  | { readonly kind: "signed-in"; readonly opened: OpenedSession; readonly returnTo: string }
  | {
      readonly kind: "challenged";
      readonly challenge: SecondFactorChallenge;
      readonly returnTo: string;
    };

interface OidcAnswer {
  readonly ticket: string | null;
  /** Query string of the provider's redirect to this server. */
  readonly query: string;
  readonly host: string;
  readonly origin: SessionOrigin;
}

async function finishOidcSignIn(
  context: AccountsContext,
  answer: OidcAnswer,
): Promise<OidcOutcome> {
  const provider = getProvider(context);
  const { settings } = provider;
  const ticket = answer.ticket === null ? null : context.challenges.open("oidc", answer.ticket);
  if (ticket === null) throw new OidcRejection("expired");
  const { returnTo, session, ...pending } = ticket.content;
  const currentUrl = callbackUrl(context);
  currentUrl.search = answer.query;
  if (currentUrl.searchParams.get("state") !== pending.state) throw new OidcRejection("expired");
  await spendTicket(context, ticket);
  const person = decidePerson(settings, await provider.finish(currentUrl, pending));
  const { origin } = answer;
  const user = await admitPerson(context, { settings, person, origin, session });
  const way = "OIDC" as const;
  if (person.hasSecondFactor) {
    const how = { ...origin, way, secondFactor: "PROVIDER" as const };
    return { kind: "signed-in", opened: await openSession(context, user, how), returnTo };
  }
  const challenge = await challengeUser(context, { user, way, host: answer.host });
  if (challenge !== null) return { kind: "challenged", challenge, returnTo };
  const opened = await openSession(context, user, { ...origin, way });
  return { kind: "signed-in", opened, returnTo };
}

/**
 * Marks the ticket of a sign-in as used. The ticket is stored in a cookie. This function must be
 * called before the provider is contacted, so that a response of the provider cannot finish a
 * second sign-in.
 */
async function spendTicket(
  context: AccountsContext,
  ticket: { readonly id: string; readonly expiresAt: Date },
): Promise<void> {
  try {
    await spendChallenge(context.db, ticket);
  } catch (error) {
    throw error instanceof KnownError ? new OidcRejection("expired", error) : error;
  }
}

const cookieName = "vedette_oidc";
/** Options of routes for browsers. They respond with pages and are not part of the API. */
const hidden = { config: { access: "public" }, schema: { hide: true } } as const;

interface Ticket {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Writes the cookie with the ticket of a sign-in. With SameSite=Lax, the browser also sends the
 * cookie when the provider redirects the browser back to this server.
 */
function writeTicket(context: AccountsContext, { token, expiresAt }: Ticket): string {
  const rules = { path: oidcStartPath, httpOnly: true, sameSite: "lax" } as const;
  const secure = context.isSecure();
  const name = cookieName;
  return stringifySetCookie({ name, value: token, expires: expiresAt, secure, ...rules });
}

function sendRejection(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof OidcRejection)) throw error;
  const { status, words } = rejections[error.reason];
  const { reason, cause } = error;
  const facts = { err: cause, reason, requestId: request.id };
  request.log.warn(facts, "OpenID Connect sign-in failed");
  const body = html`<p>${words}</p>
<ul class="links"><li><a href="/sign-in"><b>Back to sign-in</b></a></li></ul>
<p class="muted foot">Request ${request.id}</p>`;
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .header(
      "content-security-policy",
      "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    )
    .type("text/html; charset=utf-8")
    .send(renderPlainPage("Sign-in failed", body).text);
}

function readQuery(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, "http://own.invalid").searchParams;
}

/**
 * Returns the URL to open after the provider's response. A challenge is put into the URL fragment,
 * which browsers do not send to servers.
 */
function findNextAddress(outcome: OidcOutcome): string {
  const { returnTo } = outcome;
  if (outcome.kind === "signed-in") return returnTo;
  const { token, methods } = outcome.challenge;
  const hash = new URLSearchParams({ challenge: token, methods: methods.join(",") });
  return `/sign-in?${new URLSearchParams({ return: returnTo })}#${hash}`;
}

export function addOidcRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(oidcStartPath, hidden, async (request, reply) => {
    const query = readQuery(request);
    const own = new URL(context.publicUrl());
    // The cookie works only on the host of the callback URL, so the sign-in must start on that
    // host.
    const isElsewhere = request.host !== own.host && query.get("again") === null;
    if (context.oidc !== null && isElsewhere) {
      query.set("again", "1");
      return reply.redirect(`${own.origin}${oidcStartPath}?${query}`);
    }
    try {
      const { url, ticket } = await beginOidcSignIn(context, {
        returnTo: query.get("return"),
        sessionToken: readSessionToken(request.headers.cookie),
      });
      reply.header("set-cookie", writeTicket(context, ticket));
      return reply.header("cache-control", "no-store").redirect(url);
    } catch (error) {
      return sendRejection(request, reply, error);
    }
  });
  server.get(callbackPath, hidden, async (request, reply) => {
    const ticket = parseCookie(request.headers.cookie ?? "")[cookieName] ?? null;
    const query = readQuery(request).toString();
    const origin = readSessionOrigin(request);
    try {
      const answer = { ticket, query, host: request.host, origin };
      const outcome = await finishOidcSignIn(context, answer);
      if (outcome.kind === "signed-in") presentSession(context, reply, outcome.opened);
      const ended = { token: "", expiresAt: new Date(0) };
      reply.header("set-cookie", writeTicket(context, ended));
      return reply.header("cache-control", "no-store").redirect(findNextAddress(outcome));
    } catch (error) {
      return sendRejection(request, reply, error);
    }
  });
}
