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
import type { Passkey } from "./passkey.ts";

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
      description: "The host name it was made for. It works at no other.",
      examples: ["status.example.com"],
    }),
    isSynced: Type.Boolean({
      description: "Whether its keeper copies it to other devices of yours.",
      examples: [true],
    }),
    created_at: Described(DateTime, "When it was created."),
    lastUsedAt: Described(OrNull(DateTime), "When it last signed you in; null: never."),
  },
  { title: "Passkey" },
);
export const PasskeyList = Type.Array(PasskeySchema);

/** As browsers read and write it: JSON of the Web Authentication standard, level 3. */
const OptionsForBrowser = Type.Object({}, { additionalProperties: true });

export const PasskeyOptionsSchema = Type.Object(
  {
    optionsToken: Type.String({
      description: "Send it with the answer of the browser.",
      examples: [exampleToken],
    }),
    expiresAt: Described(DateTime, "Until when the answer can be sent; once."),
    options: Described(
      OptionsForBrowser,
      "For `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of the browser.",
      { challenge: "pnZ7…", rpId: "status.example.com" },
    ),
  },
  { title: "PasskeyOptions" },
);

export const PasskeySignInOptionsBody = Type.Object(
  {
    challengeToken: Described(
      Type.Optional(ChallengeToken),
      "Of a sign-in whose first factor is proven. Left out: the passkey is all that is asked for.",
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
    { additionalProperties: true, description: "What extensions say.", examples: [{}] },
  ),
};

export const RegistrationBody = Type.Object(
  {
    optionsToken: Described(ChallengeToken, "As the options came with.", exampleToken),
    name: Described(PasskeyName, "How you will know it.", "Laptop"),
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
                description: "How the authenticator is reached.",
                examples: [["internal"]],
              }),
            ),
          },
          { description: "What the authenticator answered." },
        ),
      },
      { description: "`toJSON()` of what `navigator.credentials.create` returned." },
    ),
  },
  { title: "PasskeyInput" },
);

export const PasskeySignInBody = Type.Object(
  {
    optionsToken: Described(ChallengeToken, "As the options came with.", exampleToken),
    challengeToken: Described(
      Type.Optional(ChallengeToken),
      "The one the options were asked for with, if any.",
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
              "Whom the authenticator keeps it for.",
              "MDE4",
            ),
          },
          { description: "What the authenticator answered." },
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
      "With your first second factor: ten codes that stand in for it, shown only here. Else null.",
      null,
    ),
  },
  { title: "CreatedPasskey" },
);
export const PasskeyChange = Type.Object(
  { name: Described(PasskeyName, "How you will know it.", "Old laptop") },
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

/** As a plain object of the kind the schema names. */
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
