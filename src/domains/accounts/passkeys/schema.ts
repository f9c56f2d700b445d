import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Described,
  Filled,
  Guid,
  Matching,
  OrNull,
} from "../../../platform/http/schema.ts";
import { ChallengeToken, ProofBody } from "../second-factors/schema.ts";
import type { Passkey } from "../second-factors/store.ts";

const exampleToken = "q2o0mE1v…";
const PasskeyName = Filled({ maxLength: 100 });
const Encoded = (maxLength: number) =>
  Matching("^[A-Za-z0-9_-]+$", "must be base64url", { minLength: 1, maxLength });
const CredentialId = Encoded(1_400);

export { ProofBody };
export const PasskeyParams = Type.Object({ id: Described(Guid, "The passkey's id.") });

export const PasskeySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "The name you gave it.", examples: ["Laptop"] }),
    host: Type.String({
      description: "Host name the passkey was created for. It works on no other host.",
      examples: ["status.example.com"],
    }),
    isSynced: Type.Boolean({
      description: "Whether the passkey is synced to your other devices.",
      examples: [true],
    }),
    created_at: Described(DateTime, "Creation time."),
    lastUsedAt: Described(
      OrNull(DateTime),
      "Time of the last sign-in with it; `null` if never used.",
    ),
  },
  { title: "Passkey" },
);
export const PasskeyList = Type.Array(PasskeySchema);

/** JSON as defined by Web Authentication level 3. */
const OptionsForBrowser = Type.Object({}, { additionalProperties: true });

export const PasskeyOptionsSchema = Type.Object(
  {
    optionsToken: Type.String({
      description: "Send it with the browser's response.",
      examples: [exampleToken],
    }),
    expiresAt: Described(DateTime, "Expiry time. The token works once."),
    options: Described(
      OptionsForBrowser,
      "Input for `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` in the browser.",
      { challenge: "pnZ7…", rpId: "status.example.com" },
    ),
  },
  { title: "PasskeyOptions" },
);

export const PasskeySignInOptionsBody = Type.Object(
  {
    challengeToken: Described(
      Type.Optional(ChallengeToken),
      "Challenge token of a sign-in whose first factor is verified. Omit it to sign in with the " +
        "passkey alone.",
      exampleToken,
    ),
  },
  { title: "PasskeySignInOptionsInput" },
);

const wholeAnswer = {
  id: Described(CredentialId, "The credential's id.", "dGhpcyBpcyBpdA"),
  rawId: Described(CredentialId, "The same.", "dGhpcyBpcyBpdA"),
  type: Type.Literal("public-key", { description: "Always `public-key`." }),
  clientExtensionResults: Type.Object(
    {},
    { additionalProperties: true, description: "Results of WebAuthn extensions.", examples: [{}] },
  ),
};

export const RegistrationBody = Type.Object(
  {
    optionsToken: Described(ChallengeToken, "Token returned with the options.", exampleToken),
    name: Described(PasskeyName, "Name of the passkey.", "Laptop"),
    response: Type.Object(
      {
        ...wholeAnswer,
        response: Type.Object(
          {
            clientDataJSON: Described(Encoded(8_192), "What the browser signed.", "eyJ0eXBlIjoi"),
            attestationObject: Described(Encoded(65_536), "The new public key.", "o2NmbXRkbm9u"),
            transports: Type.Optional(
              Type.Array(Type.String({ maxLength: 32 }), {
                maxItems: 10,
                description: "Transports of the authenticator.",
                examples: [["internal"]],
              }),
            ),
          },
          { description: "Response of the authenticator." },
        ),
      },
      { description: "`toJSON()` of what `navigator.credentials.create` returned." },
    ),
  },
  { title: "PasskeyInput" },
);

export const PasskeySignInBody = Type.Object(
  {
    optionsToken: Described(ChallengeToken, "Token returned with the options.", exampleToken),
    challengeToken: Described(
      Type.Optional(ChallengeToken),
      "Challenge token that the options were requested with, if any.",
      exampleToken,
    ),
    response: Type.Object(
      {
        ...wholeAnswer,
        response: Type.Object(
          {
            clientDataJSON: Described(Encoded(8_192), "What the browser signed.", "eyJ0eXBlIjoi"),
            authenticatorData: Described(Encoded(8_192), "Flags and counter.", "SZYN5YgOjGh0"),
            signature: Described(Encoded(8_192), "The signature.", "MEUCIQDx"),
            userHandle: Described(
              Type.Optional(Type.String({ maxLength: 200 })),
              "User handle stored by the authenticator.",
              "MDE4",
            ),
          },
          { description: "Response of the authenticator." },
        ),
      },
      { description: "`toJSON()` of what `navigator.credentials.get` returned." },
    ),
  },
  { title: "PasskeySignIn" },
);

export const CreatedPasskeySchema = Type.Object(
  {
    ...PasskeySchema.properties,
    recoveryCodes: Described(
      OrNull(Type.Array(Type.String())),
      "Ten recovery codes, returned only with your first second factor; otherwise `null`.",
      null,
    ),
  },
  { title: "CreatedPasskey" },
);
export const PasskeyChange = Type.Object(
  { name: Described(PasskeyName, "Name of the passkey.", "Old laptop") },
  { title: "PasskeyChange" },
);

export function toWirePasskey(passkey: Passkey) {
  return {
    id: passkey.id,
    name: passkey.name,
    host: passkey.host,
    isSynced: passkey.isSynced,
    created_at: formatDateTime(passkey.createdAt),
    lastUsedAt: passkey.lastUsedAt && formatDateTime(passkey.lastUsedAt),
  };
}

/** Converts the options to the plain JSON object that the schema describes. */
export function toWireOptions(issued: {
  readonly token: string;
  readonly expiresAt: Date;
  readonly options: object;
}) {
  const { token, expiresAt, options } = issued;
  return {
    optionsToken: token,
    expiresAt: formatDateTime(expiresAt),
    options: { ...options } as Record<string, unknown>,
  };
}
