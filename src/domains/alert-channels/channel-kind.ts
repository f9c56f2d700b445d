import type { TObject } from "typebox";
import type { SendOutcome } from "../../platform/deliveries/send-outcome.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { AlertMessage } from "./alert-message.ts";

/** How a kind may send. */
export interface SendTools {
  /** The only way to request a URL that a user typed. */
  readonly outbound: Outbound;
  /** Null when no SMTP server is configured. */
  readonly mailer: Mailer | null;
  /** The gateway for text messages; null when none is configured. */
  readonly smsGateway: { readonly url: string; readonly token: string | null } | null;
  readonly now: Date;
}

/** One file per kind; `kinds/index.ts` lists them all. */
export interface ChannelKind<Config = unknown> {
  readonly type: string;
  readonly ConfigSchema: TObject;
  /** Fields of the configuration that are sealed at rest and masked in every answer. */
  readonly secretFields: readonly string[];
  /** Whom it reaches, for receipts and logs; never contains a secret. */
  readonly describeRecipient: (config: Config) => string;
  readonly send: (message: AlertMessage, config: Config, tools: SendTools) => Promise<SendOutcome>;
}
