import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Email, Guid, OrNull } from "../../../platform/http/schema.ts";
import { UserSchema } from "../users/schema.ts";
import type { Session } from "./session.ts";

export const SignInBody = Type.Object({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: 200 }),
});
export const SessionParams = Type.Object({ id: Guid });

const shown = {
  id: Guid,
  address: Type.String(),
  userAgent: OrNull(Type.String()),
  created_at: DateTime,
  expiresAt: DateTime,
  lastUsedAt: OrNull(DateTime),
};

export const SessionSchema = Type.Object(shown);
export const SessionList = Type.Array(SessionSchema);
export const CreatedSessionSchema = Type.Object({ ...shown, user: UserSchema });

export function toWireSession(session: Session) {
  return {
    id: session.id,
    address: session.address,
    userAgent: session.userAgent,
    created_at: formatDateTime(session.createdAt),
    expiresAt: formatDateTime(session.expiresAt),
    lastUsedAt: session.lastUsedAt && formatDateTime(session.lastUsedAt),
  };
}
