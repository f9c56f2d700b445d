import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "../../../pages/html.ts";
import { renderPlainPage } from "../../../pages/plain-page.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { presentSession, readSessionOrigin } from "../sessions/opened-session.ts";
import { readSessionToken } from "../sessions/session.ts";
import { OidcRejection, oidcStartPath, rejections } from "./oidc.ts";
import { beginOidcSignIn, callbackPath, finishOidcSignIn, type OidcOutcome } from "./sign-in.ts";

const cookieName = "vedette_oidc";
/** Browser routes that respond with pages and redirects. Not part of the API. */
const hidden = { config: { access: "public" }, schema: { hide: true } } as const;

interface Ticket {
  readonly token: string;
  readonly expiresAt: Date;
}

/** SameSite is lax, because the browser must send the cookie when the provider redirects back. */
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

/** The challenge goes into the fragment, which browsers send to no server and no log. */
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
    // The cookie must be set on the host that the provider redirects back to.
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
