import { Type } from "typebox";
import { Described, Email, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { User } from "./user.ts";

export const Password = Type.String({
  minLength: 10,
  maxLength: 200,
  description: "10 to 200 characters; not your email address and not a common password.",
  examples: ["correct horse battery"],
});
export const PersonName = Type.String({ minLength: 1, maxLength: 255 });

export const UserSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    email: Type.String({ description: "The email address.", examples: ["ada@example.com"] }),
    name: Described(OrNull(Type.String()), "Name of the user; `null` if not set.", "Ada"),
  },
  { title: "User" },
);
export const OwnUserSchema = Type.Object(
  {
    ...UserSchema.properties,
    hasPassword: Type.Boolean({ description: "Whether the user has a password." }),
    mayChoosePassword: Type.Boolean({
      description:
        "Whether the user may set a password without the current one: within an hour after a " +
        "sign-in with a one-time link.",
    }),
    isEmailPlaceholder: Type.Boolean({
      description:
        "Whether the email address is the placeholder of a first start without " +
        "`BOOTSTRAP_EMAIL`, which cannot receive mail.",
    }),
    pendingEmail: Described(
      OrNull(Type.String()),
      "New address that is not confirmed yet; `null` if there is none.",
      null,
    ),
  },
  { title: "OwnUser" },
);
export const UserChange = Type.Object(
  {
    name: Described(OrNull(PersonName), "Your name; null: none.", "Ada"),
  },
  { title: "UserChange" },
);
export const EmailChangeInput = Type.Object(
  {
    email: Described(Email, "The new address.", "ada@example.com"),
    currentPassword: Type.Optional(
      Type.String({
        description:
          "Your password. Optional within an hour after a sign-in with a one-time link, and for " +
          "a user without a password who signed in within 15 minutes.",
        examples: ["correct horse battery"],
        maxLength: 200,
      }),
    ),
  },
  { title: "EmailChangeInput" },
);
export const EmailConfirmation = Type.Object(
  {
    token: Type.String({
      minLength: 20,
      maxLength: 200,
      description: "Token of the mailed link: the value after `=`.",
      examples: ["q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE"],
    }),
  },
  { title: "EmailConfirmation" },
);
export const PasswordChange = Type.Object(
  {
    currentPassword: Type.Optional(
      Type.String({
        description:
          "The current password. Optional within an hour after a sign-in with a one-time link.",
        examples: ["correct horse battery"],
        maxLength: 200,
      }),
    ),
    newPassword: Password,
  },
  { title: "PasswordChange" },
);

export function toWireUser(user: User) {
  return { id: user.id, email: user.email, name: user.name };
}
