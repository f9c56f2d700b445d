import { Type } from "typebox";
import { Described, Email, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { User } from "./user.ts";

export const Password = Type.String({
  minLength: 10,
  maxLength: 200,
  description:
    "Ten to 200 characters; neither your email address nor one of the commonest passwords.",
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
export const OwnUserSchema = Type.Object(
  {
    ...UserSchema.properties,
    hasPassword: Type.Boolean({ description: "False until they choose one." }),
    mayChoosePassword: Type.Boolean({
      description:
        "Whether they may choose a password without the current one: for an hour after a " +
        "one-time link has signed them in.",
    }),
    isEmailPlaceholder: Type.Boolean({
      description:
        "Whether the email address is the one of a first start without `BOOTSTRAP_EMAIL`, which " +
        "gets no mail.",
    }),
    pendingEmail: Described(
      OrNull(Type.String()),
      "The address that waits for the link in its mail; `null` if there is none.",
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
          "Your password. May be left out for an hour after a one-time link has signed you in, " +
          "and by somebody without a password who has signed in within 15 minutes.",
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
      description: "What stands behind the `=` of the mailed link.",
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
          "The password as it is now. May be left out for an hour after a one-time link has " +
          "signed you in.",
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
