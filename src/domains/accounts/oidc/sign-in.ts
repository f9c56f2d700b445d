import { KnownError } from "../../../platform/errors.ts";
import { type IssuedChallenge, spendChallenge } from "../challenges.ts";
import type { AccountsContext } from "../context.ts";
import { presentSecret } from "../credentials.ts";
import { challengeUser, type SecondFactorChallenge } from "../second-factors/sign-in.ts";
import { type OpenedSession, openSession } from "../sessions/opened-session.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { admitPerson, type OwnSession } from "./admission.ts";
import { decidePerson, decideReturn, OidcRejection } from "./oidc.ts";
import type { OidcProvider } from "./provider.ts";

export const callbackPath = "/sign-in/oidc/callback";

function getProvider({ oidc }: AccountsContext): OidcProvider {
  if (oidc === null) throw new OidcRejection("not-set-up");
  return oidc;
}

function callbackUrl(context: AccountsContext): URL {
  return new URL(`${context.publicUrl()}${callbackPath}`);
}

export interface OidcStart {
  readonly url: string;
  /** Stored in the cookie that binds the provider's response to this browser. */
  readonly ticket: IssuedChallenge;
}

export async function beginOidcSignIn(
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

export type OidcOutcome =
  | { readonly kind: "signed-in"; readonly opened: OpenedSession; readonly returnTo: string }
  | {
      readonly kind: "challenged";
      readonly challenge: SecondFactorChallenge;
      readonly returnTo: string;
    };

export interface OidcAnswer {
  readonly ticket: string | null;
  /** The query string of the provider's redirect. */
  readonly query: string;
  readonly host: string;
  readonly origin: SessionOrigin;
}

export async function finishOidcSignIn(
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

/** Runs before the provider is contacted, so that an intercepted response cannot be used twice. */
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
