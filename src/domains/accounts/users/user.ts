export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/**
 * Returns whether this is the placeholder of a first start without BOOTSTRAP_EMAIL: no mail reaches
 * a name below `localhost`.
 */
export function isPlaceholderEmail(email: string): boolean {
  return /@(?:.+\.)?localhost$/i.test(email);
}

export interface UserWithPassword extends User {
  /** Incremented whenever the user's sign-in credentials change. */
  readonly credentialVersion: number;
  /** Whether the user is verified to own the email address. */
  readonly isEmailProven: boolean;
  /** `null` until the user chooses one. */
  readonly passwordHash: string | null;
}

/** Common passwords of ten characters and more; shorter ones are rejected by length. */
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

/** Returns the rule that a new password breaks. The schema of the request checks its length. */
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
