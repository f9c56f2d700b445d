import { type TObject, Type } from "typebox";
import type { Database } from "../../platform/database.ts";
import type { SendOutcome } from "../../platform/deliverer.ts";
import { Filled, Matching } from "../../platform/http/schema.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { AlertMessage } from "./alert-text.ts";
import type { PushTarget, VapidKeys } from "./push/web-push.ts";

/** Tools that a kind uses to send. */
export interface SendTools {
  /** The only way to request a URL entered by a user. */
  readonly outbound: Outbound;
  /** `null` if no SMTP server is configured. */
  readonly mailer: Mailer | null;
  /** The SMS gateway; `null` if none is configured. */
  readonly smsGateway: { readonly url: string; readonly token: string | null } | null;
  readonly now: Date;
  /** Account of the channel. */
  readonly accountId: string;
  /** The saved channel that sends; missing for unsaved settings and contact methods. */
  readonly channelId?: number | null;
  /** Browsers of the account's members. */
  readonly push: PushDevices;
  /** Schedules and members that channels page. */
  readonly onCall?: OnCallPages | undefined;
}

/** Whom a channel pages: the person of a schedule, or one member. */
export interface PageTarget {
  readonly scheduleId: string | null;
  readonly userId: string | null;
}

export interface OnCallPages {
  /** Returns the field that names nobody of the account; `null` if the target exists. */
  readonly findFault: (
    db: Database,
    accountId: string,
    target: PageTarget,
  ) => Promise<{ readonly key: string; readonly rule: string } | null>;
  /** Sends a message at once to the contact methods of the person on call. */
  readonly send: (
    message: AlertMessage,
    target: PageTarget,
    tools: SendTools,
  ) => Promise<SendOutcome>;
}

export interface ReachedDevice extends PushTarget {
  readonly id: string;
}

export interface PushReach {
  readonly keys: VapidKeys;
  readonly devices: readonly ReachedDevice[];
  /** Contact URL for the push service. */
  readonly contact: string;
}

export interface PushDevices {
  /**
   * `null` if the keys cannot be decrypted. Without an email address, finds the devices of all
   * members.
   */
  readonly find: (accountId: string, email: string | null) => Promise<PushReach | null>;
  /** Records successful deliveries and deletes devices whose subscription has ended. */
  readonly recordOutcomes: (ended: {
    readonly sentIds: readonly string[];
    readonly goneIds: readonly string[];
  }) => Promise<void>;
}

/** A request of a provider about a message, such as a key that was pressed in a call. */
export interface ProviderRequest {
  /** The URL that the provider was given. */
  readonly url: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly signature: string;
}

/** Interface of a channel kind. Each kind is one file; `kinds/index.ts` lists them. */
export interface ChannelKind<Config = unknown> {
  readonly type: string;
  readonly ConfigSchema: TObject;
  /** Fields of `config` that are encrypted at rest and masked in every response. */
  readonly secretFields: readonly string[];
  /** Describes the recipient for receipts and logs. Never contains a secret. */
  readonly describeRecipient: (config: Config) => string;
  /** Checks rules between fields of a configuration that matches the schema. */
  readonly findFault?: (config: Config) => { readonly key: string; readonly rule: string } | null;
  /** If omitted, the kind can send several alerts as one message. */
  readonly acceptsDigests?: (config: Config) => boolean;
  readonly send: (message: AlertMessage, config: Config, tools: SendTools) => Promise<SendOutcome>;
  /** Set if people can press keys in a call. */
  readonly calls?: {
    /** Returns the pressed keys; `null` if the request is not signed by the provider. */
    readonly readDigits: (request: ProviderRequest, config: Config) => string | null;
    /** Returns what the provider reads aloud, in its own XML. */
    readonly writeReply: (text: string) => string;
  };
}

/** Fields shared by several kinds. The outbound guard decides which URLs are allowed. */
export const HttpUrl = Matching(
  "^[Hh][Tt]{2}[Pp][Ss]?://\\S+$",
  "must be a URL that starts with http:// or https://",
  { maxLength: 2_048 },
);

export const Secret = Type.String({ minLength: 1, maxLength: 1_024 });

export const Label = Filled({ maxLength: 255 });
