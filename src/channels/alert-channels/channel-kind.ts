import { type TObject, Type } from "typebox";
import type { Database } from "../../platform/database.ts";
import type { SendOutcome } from "../../platform/deliverer.ts";
import { Filled, Matching } from "../../platform/http/schema.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { AlertMessage } from "./alert-text.ts";
import type { PushTarget, VapidKeys } from "./push/web-push.ts";

/** Dependencies that channel kinds use to send messages. */
export interface SendTools {
  /** Guarded HTTP client. All requests to URLs entered by users must use this client. */
  readonly outbound: Outbound;
  /** SMTP client; `null` if no SMTP server is configured. */
  readonly mailer: Mailer | null;
  /** URL and token of the SMS gateway; `null` if no gateway is configured. */
  readonly smsGateway: { readonly url: string; readonly token: string | null } | null;
  readonly now: Date;
  /** Id of the account that owns the channel. */
  readonly accountId: string;
  /** Id of the saved channel; missing or `null` for unsaved settings and contact methods. */
  readonly channelId?: number | null;
  /** Access to the push devices of the account's members. */
  readonly push: PushDevices;
  /** Access to on-call schedules and members, for channels that page people. */
  readonly onCall?: OnCallPages | undefined;
}

/**
 * Target of a channel that pages: the person on call for a schedule, or one member. If both ids are
 * `null`, the target is the account's fallback.
 */
export interface PageTarget {
  readonly scheduleId: string | null;
  readonly userId: string | null;
}

export interface OnCallPages {
  /**
   * Returns the invalid field if the account does not have the schedule or the member; `null` if
   * the target exists.
   */
  readonly findFault: (
    db: Database,
    accountId: string,
    target: PageTarget,
  ) => Promise<{ readonly key: string; readonly rule: string } | null>;
  /** Sends a message immediately to the contact methods of the paged person. */
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
  /** Contact URL that is sent to the push service. */
  readonly contact: string;
}

export interface PushDevices {
  /**
   * Returns the devices of the member with the given email address, or the devices of all members
   * if `email` is `null`. Returns `null` if the VAPID keys cannot be decrypted.
   */
  readonly find: (accountId: string, email: string | null) => Promise<PushReach | null>;
  /** Records when devices received a message, and deletes devices whose subscription has ended. */
  readonly recordOutcomes: (ended: {
    readonly sentIds: readonly string[];
    readonly goneIds: readonly string[];
  }) => Promise<void>;
}

/** A request from a provider about a sent message, for example a key pressed during a call. */
export interface ProviderRequest {
  /** Requested URL, as it was given to the provider. */
  readonly url: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly signature: string;
}

/** Interface of a channel kind. Each kind is one file; `kinds/index.ts` lists them. */
export interface ChannelKind<Config = unknown> {
  readonly type: string;
  readonly ConfigSchema: TObject;
  /** Secret fields of `config`, which are encrypted at rest and masked in responses. */
  readonly secretFields: readonly string[];
  /** Returns the recipient for delivery records and logs, without secrets. */
  readonly describeRecipient: (config: Config) => string;
  /**
   * Validates what the schema of the configuration cannot express, such as a conflict of two
   * fields. Returns the first fault; `null` if there is none.
   */
  readonly findFault?: (config: Config) => { readonly key: string; readonly rule: string } | null;
  /** Whether several alerts may be sent as one message. If omitted, digests are always accepted. */
  readonly acceptsDigests?: (config: Config) => boolean;
  readonly send: (message: AlertMessage, config: Config, tools: SendTools) => Promise<SendOutcome>;
  /** Functions for calls in which a person can press keys; omitted if the kind makes no calls. */
  readonly calls?: {
    /** Returns the pressed keys; `null` if the request is not signed by the provider. */
    readonly readDigits: (request: ProviderRequest, config: Config) => string | null;
    /** Returns the XML document that makes the provider read a text aloud. */
    readonly writeReply: (text: string) => string;
  };
}

/** Schema of an HTTP URL for all kinds. The outbound guard decides which URLs may be requested. */
export const HttpUrl = Matching(
  "^[Hh][Tt]{2}[Pp][Ss]?://\\S+$",
  "must be a URL that starts with http:// or https://",
  { maxLength: 2_048 },
);

export const Secret = Type.String({ minLength: 1, maxLength: 1_024 });

export const Label = Filled({ maxLength: 255 });
