import { type TObject, Type } from "typebox";
import type { Database } from "../../platform/database.ts";
import type { SendOutcome } from "../../platform/deliverer.ts";
import { Filled, Matching } from "../../platform/http/schema.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { AlertMessage } from "./alert-text.ts";
import type { PushTarget, VapidKeys } from "./push/web-push.ts";

/** Dependencies with which a channel kind sends messages. */
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
  /** Push devices of the account's members. */
  readonly push: PushDevices;
  /** On-call schedules and members, for channels that page people. */
  readonly onCall?: OnCallPages | undefined;
}

/** Target of a channel that pages: the person on call for a schedule, or one member. */
export interface PageTarget {
  readonly scheduleId: string | null;
  readonly userId: string | null;
}

export interface OnCallPages {
  /** Returns the field of a target that the account does not have; `null` if the target exists. */
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
   * Returns the devices of the member with the given email address, or of all members if it is
   * `null`. Returns `null` if the keys of the server cannot be decrypted.
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
  /** URL of the request as it was given to the provider. */
  readonly url: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly signature: string;
}

/** Interface of a channel kind. Each kind is one file; `kinds/index.ts` lists them. */
export interface ChannelKind<Config = unknown> {
  readonly type: string;
  readonly ConfigSchema: TObject;
  /** Names of the fields of `config` that are encrypted at rest and masked in every response. */
  readonly secretFields: readonly string[];
  /** Returns the recipient for delivery records and logs, without secrets. */
  readonly describeRecipient: (config: Config) => string;
  /**
   * Returns the first fault that the schema of the configuration cannot express, such as a conflict
   * of two fields; `null` if there is none.
   */
  readonly findFault?: (config: Config) => { readonly key: string; readonly rule: string } | null;
  /** Whether the channel can send several alerts as one message. If omitted, it always can. */
  readonly acceptsDigests?: (config: Config) => boolean;
  readonly send: (message: AlertMessage, config: Config, tools: SendTools) => Promise<SendOutcome>;
  /** Functions for calls in which a person can press keys; omitted if the kind makes no calls. */
  readonly calls?: {
    /** Returns the pressed keys; `null` if the provider did not validly sign the request. */
    readonly readDigits: (request: ProviderRequest, config: Config) => string | null;
    /** Returns the XML with which the provider reads a text aloud. */
    readonly writeReply: (text: string) => string;
  };
}

/** Schema of an HTTP URL for all kinds. The outbound guard decides which URLs are allowed. */
export const HttpUrl = Matching(
  "^[Hh][Tt]{2}[Pp][Ss]?://\\S+$",
  "must be a URL that starts with http:// or https://",
  { maxLength: 2_048 },
);

export const Secret = Type.String({ minLength: 1, maxLength: 1_024 });

export const Label = Filled({ maxLength: 255 });
