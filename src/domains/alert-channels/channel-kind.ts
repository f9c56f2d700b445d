import type { TObject } from "typebox";
import type { SendOutcome } from "../../platform/deliveries/send-outcome.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { AlertMessage } from "./alert-message.ts";
import type { PushTarget, VapidKeys } from "./push/web-push.ts";

/** How a kind may send. */
export interface SendTools {
  /** The only way to request a URL that a user typed. */
  readonly outbound: Outbound;
  /** Null when no SMTP server is configured. */
  readonly mailer: Mailer | null;
  /** The gateway for text messages; null when none is configured. */
  readonly smsGateway: { readonly url: string; readonly token: string | null } | null;
  readonly now: Date;
  /** Of the channel. */
  readonly accountId: string;
  /** The browsers of the account's members. */
  readonly push: PushDevices;
}

export interface ReachedDevice extends PushTarget {
  readonly id: string;
}

export interface PushReach {
  readonly keys: VapidKeys;
  readonly devices: readonly ReachedDevice[];
  /** Whom a push service may write to. */
  readonly contact: string;
}

export interface PushDevices {
  /** Null when the keys cannot be read. Without an address, those of all members. */
  readonly find: (accountId: string, email: string | null) => Promise<PushReach | null>;
  /** Notes who took a message, and forgets who is gone. */
  readonly settle: (ended: {
    readonly sentIds: readonly string[];
    readonly goneIds: readonly string[];
  }) => Promise<void>;
}

/** One file per kind; `kinds/index.ts` lists them all. */
export interface ChannelKind<Config = unknown> {
  readonly type: string;
  readonly ConfigSchema: TObject;
  /** Fields of the configuration that are sealed at rest and masked in every answer. */
  readonly secretFields: readonly string[];
  /** Whom it reaches, for receipts and logs; never contains a secret. */
  readonly describeRecipient: (config: Config) => string;
  /** Absent: it can send several alerts as one message. */
  readonly takesDigests?: (config: Config) => boolean;
  readonly send: (message: AlertMessage, config: Config, tools: SendTools) => Promise<SendOutcome>;
}
