/** Creates passkeys and signs in with passkeys. The WebAuthn library is loaded on first use. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { api, type Schemas, send } from "./client.ts";

export class PasskeyError extends Error {
  readonly kind: "cancelled" | "known";

  constructor(kind: "cancelled" | "known") {
    super(kind);
    this.kind = kind;
  }
}

export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && isSecureContext;
}

/**
 * Converts errors of the WebAuthn library. Browsers report few distinct errors, so that a site
 * cannot find out which passkeys exist.
 */
async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    const isKnown = error instanceof Error && error.name === "InvalidStateError";
    throw new PasskeyError(isKnown ? "known" : "cancelled");
  }
}

/** Casts the options, for which the API and the library declare different types. */
function toCreationOptions({ options }: Schemas["PasskeyOptions"]) {
  return options as unknown as PublicKeyCredentialCreationOptionsJSON;
}

function toRequestOptions({ options }: Schemas["PasskeyOptions"]) {
  return options as unknown as PublicKeyCredentialRequestOptionsJSON;
}

export async function createPasskey(
  options: Schemas["PasskeyOptions"],
): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  return ask(() => startRegistration({ optionsJSON: toCreationOptions(options) }));
}

/** Signs in with a passkey, either without a password or as the second factor. */
export async function signInByPasskey(challengeToken?: string): Promise<void> {
  const challenge = challengeToken === undefined ? {} : { challengeToken };
  const options = await send(api.POST("/v1/sessions/passkey/options", { body: challenge }));
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const response: AuthenticationResponseJSON = await ask(() =>
    startAuthentication({ optionsJSON: toRequestOptions(options) }),
  );
  const { optionsToken } = options;
  const body = { optionsToken, response: toWireAnswer(response), ...challenge };
  await send(api.POST("/v1/sessions/passkey", { body }));
}

/** Returns only the fields that the API accepts, because browsers add other fields. */
export function toWireAnswer({ id, rawId, type, response }: AuthenticationResponseJSON) {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: {
      clientDataJSON,
      authenticatorData,
      signature,
      ...(userHandle !== undefined && { userHandle }),
    },
  };
}

export function toWireRegistration({ id, rawId, type, response }: RegistrationResponseJSON) {
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON, attestationObject, transports: [...transports] },
  };
}
