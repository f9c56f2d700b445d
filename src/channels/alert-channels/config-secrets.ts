/**
 * Encrypts and masks the secrets in channel configurations. Secrets are encrypted in the database
 * and masked in responses. A channel kind names its secrets as `field`, or as `list[].field` for a
 * field of each list entry.
 */
import type { Encryption } from "../../platform/encryption.ts";
import type { ChannelKind } from "./channel-kind.ts";

export type ChannelConfig = Readonly<Record<string, unknown>>;
type Secretive = Pick<ChannelKind, "secretFields">;
type Change = (value: string, holder: ChannelConfig, index: number) => string;

export const mask = "********";

/** Masks a secret. The origin of a URL stays visible; only its path and query are secret. */
function maskValue(value: string): string {
  if (value === "") return "";
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  return url === null ? mask : `${url.origin}/${mask}`;
}

const credentialName = /auth|cookie|credential|key|pass|secret|signature|token/i;

/**
 * Whether the value of a list entry, such as a header, is masked. A user can set `locked` to false
 * to make the value visible. The value stays masked if the name of the entry suggests a credential.
 */
function mustHide(holder: ChannelConfig): boolean {
  return holder.locked !== false || credentialName.test(String(holder.key));
}

function isRecord(value: unknown): value is ChannelConfig {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(holder: ChannelConfig, field: string): boolean {
  return Object.hasOwn(holder, field) && typeof holder[field] === "string";
}

function changeSecrets(
  kind: Secretive,
  config: ChannelConfig,
  changes: { readonly field: Change; readonly entry: Change },
): ChannelConfig {
  const changed: Record<string, unknown> = { ...config };
  const change = (holder: ChannelConfig, field: string, index: number, by: Change) =>
    by(String(holder[field]), holder, index);
  for (const path of kind.secretFields) {
    const [name = "", field] = path.split("[].");
    const entries = changed[name];
    if (field === undefined) {
      if (isText(config, name)) changed[name] = change(config, name, 0, changes.field);
    } else if (Array.isArray(entries)) {
      changed[name] = entries.map((entry: unknown, index) =>
        isRecord(entry) && isText(entry, field)
          ? { ...entry, [field]: change(entry, field, index, changes.entry) }
          : entry,
      );
    }
  }
  return changed;
}

/** Lists the secrets of a configuration. The secrets of a stored configuration are encrypted. */
export function listSecrets(kind: Secretive, config: ChannelConfig): string[] {
  const secrets: string[] = [];
  const collect = (value: string) => {
    secrets.push(value);
    return value;
  };
  changeSecrets(kind, config, { field: collect, entry: collect });
  return secrets;
}

/** Returns the configuration with masked secrets. */
export function maskConfig(kind: Secretive, config: ChannelConfig): ChannelConfig {
  return changeSecrets(kind, config, {
    field: maskValue,
    entry: (value, holder) => (mustHide(holder) ? maskValue(value) : value),
  });
}

/** Returns the configuration with encrypted secrets, for storage in the database. */
export function sealConfig(
  kind: Secretive,
  config: ChannelConfig,
  encryption: Encryption,
): ChannelConfig {
  const seal = (value: string) => encryption.encrypt(value);
  return changeSecrets(kind, config, { field: seal, entry: seal });
}

export const unreadableProblem =
  "The secrets of this channel cannot be decrypted with this server's encryption key. " +
  "Enter them again.";

export interface OpenedConfig {
  readonly config: ChannelConfig;
  /**
   * Why the configuration cannot be used; `null` if all secrets were decrypted. A secret that
   * cannot be decrypted is a mask in `config`.
   */
  readonly problem: string | null;
}

/**
 * Decrypts the secrets of a configuration. Does not throw: a channel that was encrypted with
 * another key must not break the list of channels.
 */
export function openConfig(
  kind: Secretive,
  config: ChannelConfig,
  encryption: Encryption,
): OpenedConfig {
  let problem: string | null = null;
  const open = (value: string) => {
    const text = encryption.tryDecrypt(value);
    if (text === null) problem = unreadableProblem;
    return text ?? mask;
  };
  return { config: changeSecrets(kind, config, { field: open, entry: open }), problem };
}

/** Returns the path of the first secret whose value is a mask; `null` if no value is a mask. */
export function findMaskedSecret(kind: Secretive, config: ChannelConfig): string | null {
  for (const path of kind.secretFields) {
    let isMasked = false;
    const check = (value: string) => {
      isMasked ||= value.endsWith(mask);
      return value;
    };
    changeSecrets({ secretFields: [path] }, config, { field: check, entry: check });
    if (isMasked) return path;
  }
  return null;
}

export type RestoredConfig =
  | { readonly kind: "restored"; readonly config: ChannelConfig }
  /** The destination URL changed, so the secrets must be entered again. */
  | { readonly kind: "sent-elsewhere"; readonly field: string }
  /** The request would make a hidden list entry visible, so its value must be entered again. */
  | { readonly kind: "unlocked"; readonly field: string };

/** Fields of all kinds of channels that contain a URL to which the channel sends. */
export const destinationFields = ["url", "baseUrl"] as const;

/**
 * Replaces masks with the stored secrets when a client writes back a channel that it has read.
 * Fails if stored secrets would be sent to another destination, or if a hidden list entry would
 * become visible: both changes would reveal secrets to the client.
 */
export function restoreMasked(
  kind: Secretive,
  incoming: ChannelConfig,
  stored: ChannelConfig,
): RestoredConfig {
  const restored = new Set<string>();
  const unlocked: string[] = [];
  let config = incoming;
  for (const path of kind.secretFields) {
    const [name = "", field = ""] = path.split("[].");
    const restore = (was: unknown, value: string, key: string): string => {
      if (typeof was !== "string" || value === was) return value;
      if (value !== maskValue(was) && value !== mask) return value;
      restored.add(key);
      return was;
    };
    config = changeSecrets({ secretFields: [path] }, config, {
      field: (value) => restore(stored[name], value, name),
      entry: (value, holder, index) => {
        const entry = findEntry(stored[name], holder, index);
        const key = `${name}.${index}.${field}`;
        const restoredValue = restore(entry?.[field], value, key);
        const wasHidden = entry !== undefined && mustHide(entry);
        if (restored.has(key) && wasHidden && !mustHide(holder)) unlocked.push(key);
        return restoredValue;
      },
    });
  }
  const [shown] = unlocked;
  if (shown !== undefined) return { kind: "unlocked", field: shown };
  const isElsewhere = destinationFields.some(
    (field) => originOf(config[field]) !== originOf(stored[field]),
  );
  const [field] = [...restored].filter((key) => !destinationFields.some((one) => one === key));
  if (isElsewhere && field !== undefined) return { kind: "sent-elsewhere", field };
  return { kind: "restored", config };
}

/**
 * Finds the stored version of a list entry in a request, such as a header: the stored entry with
 * the same name. If several stored entries have this name, the entry at the same index is
 * preferred.
 */
function findEntry(
  entries: unknown,
  holder: ChannelConfig,
  index: number,
): ChannelConfig | undefined {
  if (!Array.isArray(entries)) return undefined;
  const isSame = (entry: unknown) => isRecord(entry) && entry.key === holder.key;
  const found: unknown = isSame(entries[index]) ? entries[index] : entries.find(isSame);
  return isRecord(found) ? found : undefined;
}

function originOf(value: unknown): string | null {
  return typeof value === "string" ? (URL.parse(value)?.origin ?? value) : null;
}
