/** Asks the browser for passkeys. The library is loaded with the first one. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { api, type Schemas, send } from "./client.ts";

export class PasskeyFault extends Error {
  readonly kind: "cancelled" | "known";

  constructor(kind: "cancelled" | "known") {
    super(kind);
    this.kind = kind;
  }
}

export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && isSecureContext;
}

/** Browsers tell little apart on purpose: a page must not learn which passkeys there are. */
async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    const isKnown = error instanceof Error && error.name === "InvalidStateError";
    throw new PasskeyFault(isKnown ? "known" : "cancelled");
  }
}

/** The API describes these as JSON of the standard; the library names the same fields. */
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

/** Opens a session by a passkey: alone, or as the second factor of a challenge. */
export async function signInByPasskey(challengeToken?: string): Promise<void> {
  const challenge = challengeToken === undefined ? {} : { challengeToken };
  const asked = await send(api.POST("/v1/sessions/passkey/options", { body: challenge }));
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const response: AuthenticationResponseJSON = await ask(() =>
    startAuthentication({ optionsJSON: toRequestOptions(asked) }),
  );
  const { optionsToken } = asked;
  const body = { optionsToken, response: toWireAnswer(response), ...challenge };
  await send(api.POST("/v1/sessions/passkey", { body }));
}

/** Only what the API asks for: browsers add fields of their own. */
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
