import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Email, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { UserSchema } from "../users/schema.ts";
import { describeDevice } from "./device.ts";
import { provenFactors, type Session, signInWays } from "./session.ts";

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
    "With which second factor, `PROVIDER` for one that the OpenID provider asked for; null: none.",
    "TOTP",
  ),
  address: Type.String({ description: "The address it was opened from.", examples: ["192.0.2.7"] }),
  userAgent: Described(
    OrNull(Type.String()),
    "The program it was opened with; null: unknown.",
    "Firefox",
  ),
  device: Type.String({
    description: "The browser and the system, in words.",
    examples: ["Firefox on Linux"],
  }),
  created_at: Described(DateTime, "When it was created."),
  expiresAt: Described(DateTime, "When it ends by itself."),
  lastUsedAt: Described(OrNull(DateTime), "When it was last used; null: never."),
};

export const SessionSchema = Type.Object(
  {
    ...shown,
    isCurrent: Type.Boolean({ description: "Whether it is the one that this request came with." }),
  },
  { title: "Session" },
);
export const SessionList = Type.Array(SessionSchema);
export const CreatedSessionSchema = Type.Object(
  {
    ...shown,
    user: Described(UserSchema, "Who signed in."),
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
