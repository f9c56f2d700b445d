import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Email, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { UserSchema } from "../users/schema.ts";
import { describeDevice, provenFactors, type Session, signInWays } from "./session.ts";

export const SignInBody = Type.Object(
  {
    email: Described(Email, "The email address.", "ada@example.com"),
    password: Type.String({
      description: "The password.",
      examples: ["correct horse battery"],
      minLength: 1,
      maxLength: 200,
    }),
  },
  { title: "SessionInput" },
);
export const SessionParams = Type.Object({ id: Described(Guid, "The session's id.") });

const shown = {
  id: Described(Guid, "Its id."),
  way: Described(OneOf(signInWays), "How you signed in.", "PASSWORD"),
  secondFactor: Described(
    OrNull(OneOf(provenFactors)),
    "Second factor used; `PROVIDER` if the OpenID provider verified it, `null` if none.",
    "TOTP",
  ),
  address: Type.String({
    description: "IP address the session was opened from.",
    examples: ["192.0.2.7"],
  }),
  userAgent: Described(
    OrNull(Type.String()),
    "User agent the session was opened with; `null` if unknown.",
    "Firefox",
  ),
  device: Type.String({
    description: "Browser and operating system.",
    examples: ["Firefox on Linux"],
  }),
  created_at: Described(DateTime, "Creation time."),
  expiresAt: Described(DateTime, "Expiry time."),
  lastUsedAt: Described(OrNull(DateTime), "Time of the last use; `null` if never used."),
};

export const SessionSchema = Type.Object(
  {
    ...shown,
    isCurrent: Type.Boolean({ description: "Whether it is the session of this request." }),
  },
  { title: "Session" },
);
export const SessionList = Type.Array(SessionSchema);
export const CreatedSessionSchema = Type.Object(
  {
    ...shown,
    user: Described(UserSchema, "The user who signed in."),
  },
  { title: "CreatedSession" },
);

export function toWireSession(session: Session) {
  return {
    id: session.id,
    way: session.way,
    secondFactor: session.secondFactor,
    address: session.address,
    userAgent: session.userAgent,
    device: describeDevice(session.userAgent),
    created_at: formatDateTime(session.createdAt),
    expiresAt: formatDateTime(session.expiresAt),
    lastUsedAt: session.lastUsedAt && formatDateTime(session.lastUsedAt),
  };
}
