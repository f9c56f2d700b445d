import { Type } from "typebox";
import { Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { User } from "./user.ts";

export const Password = Type.String({
  minLength: 10,
  maxLength: 200,
  description: "At least ten characters.",
  examples: ["correct horse battery"],
});
export const PersonName = Type.String({ minLength: 1, maxLength: 255 });

export const UserSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    email: Type.String({ description: "The email address.", examples: ["ada@example.com"] }),
    name: Described(OrNull(Type.String()), "Their name; null: none was given.", "Ada"),
  },
  { title: "User" },
);
export const UserChange = Type.Object(
  {
    name: Described(OrNull(PersonName), "Your name; null: none.", "Ada"),
  },
  { title: "UserChange" },
);
export const PasswordChange = Type.Object(
  {
    currentPassword: Type.String({
      description: "The password as it is now.",
      examples: ["correct horse battery"],
      maxLength: 200,
    }),
    newPassword: Password,
  },
  { title: "PasswordChange" },
);

export function toWireUser(user: User) {
  return { id: user.id, email: user.email, name: user.name };
}
