import type { ChangeText } from "../../kit/secrets.ts";
import { secretMask } from "../../kit/secrets.ts";
import type { BasicAuth, KeyValue, OwnSettings, WrittenRequest } from "./request.ts";
import type { RequestChange } from "./request-schema.ts";
import { mergeScripts } from "./scripts.ts";

const noRequest: WrittenRequest = {
  method: "GET",
  url: "",
  followRedirects: true,
  skipSSL: false,
  ipFamily: "IPv4",
  body: "",
  bodyType: "NONE",
  headers: [],
  queryParameters: [],
  assertions: [],
  basicAuth: null,
};

type Change = Partial<Omit<OwnSettings, "request">> & { readonly request?: RequestChange };

/**
 * Merges an update into stored settings whose secrets are decrypted. A mask that stands for no
 * stored secret remains in the result, and `findFaults` reports it.
 */
export function mergeSettings(before: OwnSettings | null, change: Change): OwnSettings {
  return {
    request: mergeRequest(before?.request ?? noRequest, change.request ?? {}),
    ...mergeScripts(before, change),
  };
}

function mergeRequest(before: WrittenRequest, change: RequestChange): WrittenRequest {
  return {
    method: change.method ?? before.method,
    url: change.url ?? before.url,
    followRedirects: change.followRedirects ?? before.followRedirects,
    skipSSL: change.skipSSL ?? before.skipSSL,
    ipFamily: change.ipFamily ?? before.ipFamily,
    body: change.body ?? before.body,
    bodyType: change.bodyType ?? before.bodyType,
    assertions: change.assertions ?? before.assertions,
    ...mergeSecretive(before, change),
  };
}

interface Secretive {
  readonly url: string;
  readonly headers: readonly KeyValue[];
  readonly queryParameters: readonly KeyValue[];
  readonly basicAuth: BasicAuth | null;
}

type Pair = Omit<KeyValue, "locked"> & { readonly locked?: boolean };

interface SecretiveChange {
  readonly url?: string | null;
  readonly headers?: readonly Pair[];
  readonly queryParameters?: readonly Pair[];
  readonly basicAuth?: BasicAuth | null;
}

/**
 * Replaces the masks in an update by the stored secrets. Clients send masks if they read a check,
 * change it and write it back.
 *
 * A stored secret is used only for an entry with the same name that stays locked, because the next
 * response would show an unlocked value. Scheme, host and port must also stay the same, because
 * otherwise anyone who may edit the check could send its secrets to another server.
 */
export function mergeSecretive(
  before: Secretive,
  change: SecretiveChange,
): Pick<Secretive, "headers" | "queryParameters" | "basicAuth"> {
  const isElsewhere = originOf(change.url ?? before.url) !== originOf(before.url);
  const stored = isElsewhere ? mapSecrets(before, () => secretMask) : before;
  const { headers, queryParameters, basicAuth } = change;
  return {
    headers: headers === undefined ? stored.headers : restore(headers, stored.headers),
    queryParameters:
      queryParameters === undefined
        ? stored.queryParameters
        : restore(queryParameters, stored.queryParameters),
    basicAuth:
      basicAuth === undefined || basicAuth === null
        ? basicAuth === null
          ? null
          : stored.basicAuth
        : restorePassword(basicAuth, stored.basicAuth),
  };
}

function restore(sent: readonly Pair[], stored: readonly KeyValue[]): KeyValue[] {
  const taken = new Set<KeyValue>();
  return sent.map(({ key, value, locked = false }, index) => {
    const isSame = (one: KeyValue) => one.locked && one.key === key && !taken.has(one);
    // Entries are matched by position first, because a name may occur more than once.
    const atPlace = stored[index];
    const kept = atPlace !== undefined && isSame(atPlace) ? atPlace : stored.find(isSame);
    if (value !== secretMask || kept === undefined || !locked) return { key, value, locked };
    taken.add(kept);
    return { key, value: kept.value, locked };
  });
}

/** Replaces a masked password by the stored password if the user name is unchanged. */
function restorePassword(sent: BasicAuth, stored: BasicAuth | null): BasicAuth {
  const { username, password } = sent;
  const isKept = password === secretMask && stored?.username === username;
  return { username, password: isKept ? stored.password : password };
}

/**
 * Returns the scheme, host and port of a URL in lower case. Variables are not filled in, so they
 * are compared by name.
 */
function originOf(url: string): string {
  const [origin = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#\\]*/i.exec(url.trim()) ?? [];
  return origin.toLowerCase();
}

/** Applies `change` to each secret: the values of locked entries, and the password. */
export function mapSecrets<Holder extends Omit<Secretive, "url">>(
  holder: Holder,
  change: ChangeText,
): Holder {
  const changePair = (pair: KeyValue): KeyValue =>
    pair.locked && pair.value !== "" ? { ...pair, value: change(pair.value) } : pair;
  const { basicAuth } = holder;
  const hasPassword = basicAuth !== null && basicAuth.password !== "";
  return {
    ...holder,
    headers: holder.headers.map(changePair),
    queryParameters: holder.queryParameters.map(changePair),
    basicAuth: hasPassword ? { ...basicAuth, password: change(basicAuth.password) } : basicAuth,
  };
}
