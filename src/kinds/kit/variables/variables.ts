import type { Order, OrderVariable } from "../../../contract/order.ts";
import type { OnStep, Outcome, RunStep, Trouble } from "../../../contract/result.ts";
import type { KindDefinition } from "../definition.ts";
import type { Prober } from "../prober.ts";
import type { ChangeText, KindTexts } from "../secrets.ts";

/** Minimum length of an encoded value that is masked. Shorter ones also occur in unrelated text. */
const minDerivedLength = 4;
/**
 * A text may end in the middle of a value. If at least this many characters of the value remain,
 * they are masked.
 */
const minCutLength = 6;
const maxMaskLength = 8;

/** Returns a function that masks values and their common encodings in text from a target. */
export function createHider(values: readonly string[]): ChangeText {
  const forms = [...new Set(values.flatMap(listForms))].sort(
    (one, other) => other.length - one.length,
  );
  if (forms.length === 0) return (text) => text;
  return (text) => {
    let hidden = text;
    for (const form of forms) {
      if (hidden.includes(form)) hidden = hidden.replaceAll(form, () => writeMask(form.length));
    }
    for (const form of forms) hidden = hideCutEnd(hidden, form);
    return hidden;
  };
}

/** Returns a mask that is at most as long as the value, so that the text does not become longer. */
function writeMask(length: number): string {
  return "*".repeat(Math.min(length, maxMaskLength));
}

function hideCutEnd(text: string, form: string): string {
  if (form.length <= minCutLength) return text;
  const beginning = form.slice(0, minCutLength);
  let at = text.indexOf(beginning, Math.max(0, text.length - form.length + 1));
  while (at >= 0) {
    const end = text.slice(at);
    if (form.startsWith(end)) return text.slice(0, at) + writeMask(end.length);
    at = text.indexOf(beginning, at + 1);
  }
  return text;
}

function listForms(value: string): string[] {
  if (value === "") return [];
  const whole = value.toWellFormed();
  const derived = [
    whole.trim(),
    whole.toLowerCase(),
    ...listUrlForms(whole),
    ...listHostForms(whole),
    ...listEscapedForms(whole),
    ...listEncodedForms(Buffer.from(whole)),
  ];
  return [value, whole, ...derived.filter(({ length }) => length >= minDerivedLength)];
}

/**
 * Lists the spellings of the host in a hidden value that is a host or a URL. Texts may contain only
 * the host, which must be masked too.
 */
function listHostForms(value: string): string[] {
  const isAddress = /^https?:\/\//i.test(value);
  const isHost = /^[^\s/@?#]+$/.test(value) && /[.:]/.test(value);
  const url = isAddress ? URL.parse(value) : isHost ? URL.parse(`http://${value}`) : null;
  if (url === null) return [];
  return [url.host, url.hostname, url.hostname.replace(/^\[(.*)\]$/, "$1")];
}

function listUrlForms(value: string): string[] {
  const url = new URL("http://x/");
  url.password = value;
  url.pathname = value;
  url.search = value;
  const component = encodeURIComponent(value);
  const strict = component.replace(/[!'()*]/g, (one) => `%${toHex(one.charCodeAt(0), 2)}`);
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  const forms = [
    component,
    strict,
    form,
    encodeURI(value),
    url.password,
    url.pathname.slice(1),
    url.search.slice(1),
  ];
  const inLowerCase = forms.map((one) =>
    one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  );
  return [...forms, ...inLowerCase];
}

function listEscapedForms(value: string): string[] {
  const json = escapeJson(value);
  const toCode = (one: string) => `\\u${toHex(one.charCodeAt(0), 4).toLowerCase()}`;
  const safe = json.replace(/[<>&'/]/g, toCode);
  const ascii = json.replace(/[^ -~]/g, toCode);
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    json,
    json.replaceAll("/", "\\/"),
    safe,
    ascii,
    ascii.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`),
    escapeJson(json),
    html,
    html.replaceAll('"', "&quot;"),
    html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    html.replaceAll('"', "&quot;").replaceAll("'", "&#x27;"),
    html.replaceAll('"', "&#34;").replaceAll("'", "&#39;"),
  ];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function toHex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, "0");
}

function listEncodedForms(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((offset) => encodeAfter(bytes, offset));
  const base64url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [hex, hex.toUpperCase(), ...base64, ...base64url];
}

/**
 * Returns the base64 form of a value that follows `offset` other bytes, such as the password in
 * `user:password`.
 */
function encodeAfter(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  // Drops the first and last characters, because they also depend on the neighbouring bytes.
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(from, to);
}

const name = "\\s{0,20}([A-Za-z_$][\\w$]{0,254})\\s{0,20}";
/** Matches `{{NAME}}` and `{{{NAME}}}`, which mean the same because values are never escaped. */
const names = new RegExp(`\\{\\{\\{${name}\\}\\}\\}|\\{\\{${name}\\}\\}`, "g");

/**
 * Replaces known variables. Unknown names stay unchanged, because braces can have other meanings.
 */
export function fillVariables(text: string, find: (name: string) => string | undefined): string {
  if (!text.includes("{{")) return text;
  return text.replaceAll(names, (whole, tripled?: string, doubled?: string) => {
    return find(tripled ?? doubled ?? "") ?? whole;
  });
}

/** Replaces all variables by one value, so that the text around them can be validated. */
export function fillAlike(text: string, value: string): string {
  return fillVariables(text, () => value);
}

export function hasVariables(text: string): boolean {
  return fillAlike(text, "") !== text;
}

/** Returns whether the runs of a request receive all variables of the account, group and check. */
export function receivesAll(
  kind: Pick<KindDefinition, "receivesAllVariables" | "runsScripts">,
  request: unknown,
): boolean {
  return kind.receivesAllVariables ?? kind.runsScripts?.(request) ?? false;
}

/** Maximum total length of the values that are filled into the texts of a request. */
export const maxFilledLength = 1_000_000;

/**
 * Runs an order with its variables filled in and masks hidden values in the outcome. Callers report
 * the outcome together with the original request.
 */
export async function runFilled(prober: Prober, order: Order, onStep?: OnStep): Promise<Outcome> {
  const { variables } = order;
  if (variables === undefined) return prober.run(order, onStep);
  const hide = createHider(variables.flatMap(({ value, isHidden }) => (isHidden ? value : [])));
  try {
    const isLeft = prober.fillsVariables?.(order.request) === true;
    const request = isLeft ? order.request : fillRequest(prober.texts, order.request, variables);
    if (request === null) {
      const message = "The request is too long once its variables are filled in.";
      return { kind: "cannot-check", message };
    }
    const onHiddenStep = onStep && ((step: RunStep) => onStep(hideInStep(step, hide)));
    const outcome = await prober.run({ ...order, request }, onHiddenStep);
    return mapOutcome(prober.texts, outcome, hide);
  } catch (error) {
    // The error is logged and may contain the request, so hidden values are masked.
    throw new Error(hide(String(error)));
  }
}

/** Returns the request with its variables filled in; `null` if the values are too long in total. */
export function fillRequest<Request>(
  texts: KindTexts<Request>,
  request: Request,
  variables: readonly OrderVariable[],
): Request | null {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  let length = 0;
  const filled = texts.mapRequest(request, (text) => {
    // The length is counted before the text is built, because a text can repeat a long value many
    // times.
    fillVariables(text, (name) => {
      length += values.get(name)?.length ?? 0;
      return "";
    });
    return length > maxFilledLength ? text : fillVariables(text, (name) => values.get(name));
  });
  return length > maxFilledLength ? null : filled;
}

/** Returns the outcome with `change` applied to each text that may contain a secret. */
export function mapOutcome(texts: KindTexts, outcome: Outcome, change: ChangeText): Outcome {
  if (outcome.kind === "measured") {
    return { ...outcome, measurement: texts.mapMeasurement(outcome.measurement, change) };
  }
  if (outcome.kind !== "unreachable") return { ...outcome, message: change(outcome.message) };
  const { mapTrouble = changeTrouble } = texts;
  return { ...outcome, trouble: mapTrouble(outcome.trouble, change) };
}

/**
 * Returns the error of a run with `change` applied to all texts except its kind and code. This
 * includes texts in fields that a kind adds.
 */
export function changeTrouble(
  { kind, code, message, ...more }: Trouble,
  change: ChangeText,
): Trouble {
  return { ...hideInFields(more, change), kind, code, message: change(message) };
}

/** Masks the texts of a step, except its name, which is a constant in the code. */
function hideInStep({ step, ...facts }: RunStep, hide: ChangeText): RunStep {
  return { ...(hideInFields(facts, hide) as typeof facts), step };
}

function hideInFields(fields: object, hide: ChangeText): object {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([name, value]) => [name, hideInValue(value, hide)]));
}

function hideInValue(value: unknown, hide: ChangeText): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideInValue(one, hide));
  return typeof value === "object" && value !== null ? hideInFields(value, hide) : value;
}
