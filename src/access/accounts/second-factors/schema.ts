import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Matching, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { OwnFactors, SecondFactorChallenge, TotpSetUp } from "./actions.ts";
import { hasSecondFactor, secondFactors } from "./second-factor.ts";

export const ChallengeToken = Type.String({ minLength: 1, maxLength: 4_000 });
const TotpCode = Matching("^[0-9 ]+$", "must be the 6 digits shown by the app", {
  minLength: 6,
  maxLength: 12,
});
const exampleToken = "q2o0mE1v…";

export const ProofBody = Type.Object(
  {
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Your password.",
        examples: ["correct horse battery"],
      }),
    ),
    code: Described(Type.Optional(TotpCode), "A code of your authenticator app.", "492039"),
  },
  { title: "Proof" },
);

export const SignInChallengeSchema = Type.Object(
  {
    challengeToken: Type.String({
      description: "Send it with the second factor. It proves the first factor.",
      examples: [exampleToken],
    }),
    expiresAt: Described(DateTime, "Expiry time. The token works once."),
    methods: Type.Array(OneOf(secondFactors), {
      description: "Second factors that you can use here.",
      examples: [["TOTP", "RECOVERY_CODE"]],
    }),
  },
  { title: "SignInChallenge" },
);

export const CodeAnswerBody = Type.Object(
  {
    challengeToken: Described(ChallengeToken, "As `POST /v1/sessions` answered.", exampleToken),
    method: Described(OneOf(["TOTP", "RECOVERY_CODE"]), "Type of the code.", "TOTP"),
    code: Type.String({
      minLength: 6,
      maxLength: 40,
      description: "The six digits of the app, or a recovery code.",
      examples: ["492039"],
    }),
  },
  { title: "SecondFactorAnswer" },
);

export const OwnFactorsSchema = Type.Object(
  {
    hasSecondFactor: Type.Boolean({
      description: "Whether you have a second factor: TOTP or a passkey.",
      examples: [true],
    }),
    hasPassword: Type.Boolean({
      description: "Whether you have a password.",
      examples: [true],
    }),
    totpSince: Described(
      OrNull(DateTime),
      "Time the authenticator app was set up; `null` if not set up.",
    ),
    recoveryCodesLeft: Type.Integer({
      description: "Number of unused recovery codes.",
      examples: [9],
    }),
    passkeyCount: Type.Integer({ description: "Number of your passkeys.", examples: [1] }),
    passkeys: Type.Object(
      {
        isUsable: Type.Boolean({
          description: "Whether passkeys work at the address of this request.",
          examples: [true],
        }),
        host: Described(
          OrNull(Type.String()),
          "Host name for new passkeys; `null` if passkeys are not supported.",
          "status.example.com",
        ),
        reason: Described(
          OrNull(Type.String()),
          "Why passkeys are not supported; `null` if they are.",
          null,
        ),
      },
      { description: "Passkey support at the address of this server." },
    ),
  },
  { title: "SecondFactors" },
);

export const TotpSetUpSchema = Type.Object(
  {
    setUpToken: Type.String({
      description: "Send it with the first code.",
      examples: [exampleToken],
    }),
    expiresAt: Described(DateTime, "Expiry time of the setup."),
    secret: Type.String({
      description: "Secret to type into the app, in base32.",
      examples: ["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"],
    }),
    otpauthUrl: Type.String({
      description: "The secret as a URL for a QR code.",
      examples: ["otpauth://totp/Vedette%20(localhost):ada%40example.com?secret=GEZD…"],
    }),
  },
  { title: "TotpSetUp" },
);

export const TotpConfirmation = Type.Object(
  {
    setUpToken: Described(ChallengeToken, "Token returned when the setup started.", exampleToken),
    code: Described(TotpCode, "Code shown by the app.", "492039"),
  },
  { title: "TotpConfirmation" },
);

export const RecoveryCodesSchema = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: "Ten codes that work once each. They are shown only in this response.",
      examples: [["k3m9-x2pq-7hwd-rn4t"]],
    }),
  },
  { title: "RecoveryCodes" },
);

export function toWireChallenge({ token, expiresAt, methods }: SecondFactorChallenge) {
  return { challengeToken: token, expiresAt: formatDateTime(expiresAt), methods: [...methods] };
}

export function toWireFactors(factors: OwnFactors) {
  const { relyingParty: party } = factors;
  const isUsable = party.kind === "usable";
  return {
    hasSecondFactor: hasSecondFactor(factors),
    hasPassword: factors.hasPassword,
    totpSince: factors.totpSince && formatDateTime(factors.totpSince),
    recoveryCodesLeft: factors.recoveryCodesLeft,
    passkeyCount: factors.passkeyCount,
    passkeys: {
      isUsable,
      host: isUsable ? party.id : null,
      reason: isUsable ? null : party.reason,
    },
  };
}

export function toWireSetUp({ token, expiresAt, secret, otpauthUrl }: TotpSetUp) {
  return { setUpToken: token, expiresAt: formatDateTime(expiresAt), secret, otpauthUrl };
}
