import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { KnownError } from "../../../platform/errors.ts";
import type { AccountsContext } from "../context.ts";
import { type IssuedChallenge, spendChallenge } from "../credentials.ts";
import { type OpenedSession, openSession } from "../sessions/actions.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { lockUser } from "../users/store.ts";
import { getRelyingParty, loadWebauthn } from "./actions.ts";
import { listPasskeys, lockPasskey, saveUse } from "./store.ts";

export interface SignInOptions extends IssuedChallenge {
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/** Without a password, the authenticator must verify its user; as a second factor it need not. */
export async function beginPasskeySignIn(
  context: AccountsContext,
  { host, challengeToken }: { readonly host: string; readonly challengeToken: string | undefined },
): Promise<SignInOptions> {
  const party = getRelyingParty(context, host);
  const userId = findChallengedUser(context, challengeToken);
  const passkeys = userId === null ? [] : await listPasskeys(context.db, userId);
  const { generateAuthenticationOptions } = await loadWebauthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    timeout: 120_000,
    allowCredentials: passkeys
      .filter((passkey) => passkey.host === party.id)
      .map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
    userVerification: userId === null ? "required" : "discouraged",
  });
  const content = { userId, challenge: options.challenge };
  return { ...context.challenges.issue("passkey-sign-in", content), options };
}

function findChallengedUser(
  context: AccountsContext,
  challengeToken: string | undefined,
): string | null {
  if (challengeToken === undefined) return null;
  return context.challenges.get("second-factor", challengeToken).content.userId;
}

export interface PasskeyAnswer {
  readonly optionsToken: string;
  /** If set, the passkey is the second factor; otherwise it is the only one. */
  readonly challengeToken?: string | undefined;
  readonly response: AuthenticationResponseJSON;
  readonly host: string;
}

export function signInByPasskey(
  context: AccountsContext,
  answer: PasskeyAnswer,
  origin: SessionOrigin,
): Promise<OpenedSession> {
  const { challenges } = context;
  const issued = challenges.get("passkey-sign-in", answer.optionsToken);
  const first =
    answer.challengeToken === undefined
      ? null
      : challenges.get("second-factor", answer.challengeToken);
  if ((first?.content.userId ?? null) !== issued.content.userId) {
    throw new KnownError("badChallenge");
  }
  return inTransaction(context.db, async (db) => {
    await spendChallenge(db, issued);
    if (first !== null) await spendChallenge(db, first);
    const userId = await verifyPasskey(context, db, { answer, issued: issued.content });
    const user = userId === null ? null : await lockUser(db, userId);
    if (user === null) throw new KnownError("badPasskey");
    if (first !== null && first.content.credentialVersion !== user.credentialVersion) {
      throw new KnownError("badChallenge");
    }
    const way = first?.content.way ?? ("PASSKEY" as const);
    return openSession({ ...context, db }, user, { ...origin, way, secondFactor: "PASSKEY" });
  });
}

/**
 * Returns the owner of the passkey; `null` if the signature is invalid or the counter decreased.
 */
async function verifyPasskey(
  context: AccountsContext,
  db: Database,
  {
    answer,
    issued,
  }: {
    readonly answer: PasskeyAnswer;
    readonly issued: { readonly userId: string | null; readonly challenge: string };
  },
): Promise<string | null> {
  const party = getRelyingParty(context, answer.host);
  const passkey = await lockPasskey(db, answer.response.id);
  if (passkey === null || passkey.host !== party.id) return null;
  if (issued.userId !== null && passkey.userId !== issued.userId) return null;
  const { verifyAuthenticationResponse } = await loadWebauthn();
  const verified = await verifyAuthenticationResponse({
    response: answer.response,
    expectedChallenge: issued.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: issued.userId === null,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
  }).catch(() => null);
  if (verified === null || !verified.verified) return null;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  const at = context.clock.now();
  await saveUse(db, passkey.id, { counter: newCounter, isSynced: credentialBackedUp, at });
  return passkey.userId;
}
