import { Type } from "typebox";
import { Guid, OrNull } from "../../../platform/http/schema.ts";
import type { User } from "./user.ts";

export const Password = Type.String({
  minLength: 10,
  maxLength: 200,
  description: "At least ten characters.",
  examples: ["correct horse battery"],
});
export const PersonName = Type.String({ minLength: 1, maxLength: 255 });

export const UserSchema = Type.Object({
  id: Guid,
  email: Type.String(),
  name: OrNull(Type.String()),
});
export const UserChange = Type.Object({ name: OrNull(PersonName) });
export const PasswordChange = Type.Object({
  currentPassword: Type.String({ maxLength: 200 }),
  newPassword: Password,
});

export function toWireUser(user: User) {
  return { id: user.id, email: user.email, name: user.name };
}
