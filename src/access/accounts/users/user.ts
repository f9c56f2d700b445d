import { Type } from "typebox";
import { Described, Email, Guid, OrNull } from "../../../platform/http/schema.ts";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/**
 * Returns whether an email address is at `localhost` or below, such as the placeholder that a first
 * start without BOOTSTRAP_EMAIL uses. Such an address cannot receive mail.
 */
export function isPlaceholderEmail(email: string): boolean {
  return /@(?:.+\.)?localhost$/i.test(email);
}

export interface UserWithPassword extends User {
  /** Version that is incremented whenever the user's sign-in credentials change. */
  readonly credentialVersion: number;
  /** Whether the email address is verified to belong to the user. */
  readonly isEmailProven: boolean;
  /** Hash of the password; `null` if the user has no password. */
  readonly passwordHash: string | null;
}

/** Common passwords with ten or more characters. Shorter passwords are rejected anyway. */
const commonest = new Set(
  (
    "0123456789 1234567890 12345678910 0987654321 9876543210 123456789a a123456789 1234567891 " +
    "1q2w3e4r5t 1qaz2wsx3edc q1w2e3r4t5 1q2w3e4r5t6y qwertyuiop qwerty1234 qwerty12345 " +
    "qwerty123456 asdfghjkl1 asdfghjkl; asdfghjklq zxcvbnm123 abcdefghij abcdefghijk abc1234567 " +
    "password12 password123 password1234 password12345 password123456 passw0rd123 p@ssw0rd123 " +
    "p@ssword123 mypassword thepassword iloveyou12 iloveyou123 iloveyou1234 letmein123 " +
    "letmein1234 welcome123 welcome1234 changeme12 changeme123 changeme1234 administrator " +
    "admin12345 admin123456 administrator1 football12 football123 baseball12 baseball123 " +
    "princess12 princess123 sunshine12 sunshine123 superman12 superman123 batman12345 " +
    "monkey12345 dragon12345 trustno1234 computer12 computer123 internet12 internet123 " +
    "michael123 jennifer12 jennifer123 liverpool1 liverpool123 chelsea1234 vedette123 " +
    "vedette1234 monitoring monitoring1 monitoring123 correcthorsebatterystaple"
  ).split(" "),
);

/**
 * Returns the rule that a new password violates, or `null` if it violates none. The schema checks
 * the length.
 */
export function findPasswordFault(password: string, email: string): string | null {
  const lower = password.toLowerCase();
  const [mailbox = ""] = email.toLowerCase().split("@");
  if (lower === email.toLowerCase() || lower === mailbox) {
    return "must not be your email address";
  }
  if (new Set(lower).size < 4) return "must have at least four different characters";
  if (commonest.has(lower)) return "is a common password; choose another";
  return null;
}

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
