import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Log } from "../../platform/log.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Challenges, Credentials } from "./credentials.ts";
import type { OidcProvider } from "./oidc/provider.ts";
import type { PasswordGuard, ResetLimits } from "./password-guard.ts";

/** Dependencies of this module's actions. */
export interface AccountsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly passwordGuard: PasswordGuard;
  /**
   * Rate limits for second-factor codes. The limit per email address is lower than for passwords.
   */
  readonly codeGuard: PasswordGuard;
  readonly challenges: Challenges;
  readonly encryption: Encryption;
  /** OpenID Connect provider; `null` if none is configured. */
  readonly oidc: OidcProvider | null;
  readonly isSecure: () => boolean;
  /** Returns the origin of the web application. */
  readonly publicUrl: () => string;
  /** Value of PUBLIC_URL, if the operator set it. */
  readonly configuredUrl: string | undefined;
  readonly log: Log;
  /** Mailer of the server; `null` if the server cannot send mail. */
  readonly mailer: Mailer | null;
  readonly resetLimits: ResetLimits;
}
