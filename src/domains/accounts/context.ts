import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Log } from "../../platform/log.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Challenges } from "./challenges/challenges.ts";
import type { Credentials } from "./credentials.ts";
import type { OidcProvider } from "./oidc/provider.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { ResetLimits } from "./password-resets/reset-limits.ts";

/** What this room's actions depend on. */
export interface AccountsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly passwordGuard: PasswordGuard;
  /** The same limits for second factors. */
  readonly codeGuard: PasswordGuard;
  readonly challenges: Challenges;
  readonly encryption: Encryption;
  /** Null: nobody signs in by OpenID Connect. */
  readonly oidc: OidcProvider | null;
  readonly isSecure: () => boolean;
  /** Where our own pages live. */
  readonly publicUrl: () => string;
  /** The public address, if the operator set one. */
  readonly configuredUrl: string | undefined;
  readonly log: Log;
  /** Null: this server sends no mail. */
  readonly mailer: Mailer | null;
  readonly resetLimits: ResetLimits;
}
