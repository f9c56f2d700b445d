/**
 * Removes secrets and personal data from texts for an external model. Host names and addresses of
 * checks stay, because questions are about them.
 */
interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/**
 * Matches where a word can start. Text is often JSON within JSON, where the letter before a word
 * may be the end of an escape (`\nvd_…`), and a backslash is the start of one.
 */
const start = String.raw`(?<=^|[^A-Za-z0-9_\\-]|\\[nrtbf]|\\u[0-9a-fA-F]{4})`;

function rule(body: string, replacement: string, flags = "g"): Rule {
  return { pattern: new RegExp(start + body, flags), replacement };
}

const pemLine = (word: string) => `-----${word} [A-Z ]{0,40}PRIVATE KEY-----`;

const foreignKeys = [
  "sk-[A-Za-z0-9_-]{16,}",
  "[rs]k_(?:live|test)_[A-Za-z0-9]{10,}",
  "(?:npm|hf|whsec)_[A-Za-z0-9]{16,}",
  "dop_v1_[a-f0-9]{16,}",
  String.raw`SG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
  "gh[pousr]_[A-Za-z0-9]{20,}",
  "github_pat_[A-Za-z0-9_]{20,}",
  "glpat-[A-Za-z0-9_-]{16,}",
  "xox[a-z]-[A-Za-z0-9-]{10,}",
  "A[KS]IA[A-Z0-9]{12,}",
  "AIza[A-Za-z0-9_-]{20,}",
];

/**
 * Matches "password", and also "DB_PASSWORD", "dbPassword", "aws_secret_access_key",
 * "x-auth-token".
 */
const secretName =
  "(?:[A-Za-z0-9]{1,30}[_.-]){0,4}(?:" +
  "[A-Za-z0-9]{0,20}(?:password|passwd|passphrase|secret|token|(?:api|access|private)[_ -]?key)" +
  "|pwd|key|session[_-]?id)";
const headerName = "(?:proxy-)?authorization|(?:set-)?cookie";
/** Between a name and its value. The quotes may be escaped several times. */
const sign = String.raw`\s{0,3}[:=]\s{0,3}`;
const mark = String.raw`\\{0,7}["']`;

const rules: readonly Rule[] = [
  {
    pattern: new RegExp(
      String.raw`${pemLine("BEGIN")}[\s\S]{0,20000}?(?:${pemLine("END")}|$)`,
      "g",
    ),
    replacement: "[private key]",
  },
  // This product's keys and tokens: complete ones anywhere, partial ones at the start of a word.
  { pattern: /vdc?_[A-Za-z0-9_-]{40,}/g, replacement: "[key]" },
  rule("vdc?_[A-Za-z0-9_-]{8,}", "[key]"),
  // Keys with the prefixes of other services.
  rule(`(?:${foreignKeys.join("|")})`, "[key]"),
  rule(String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?`, "[token]"),
  rule(String.raw`(bearer|basic)\s+[A-Za-z0-9+/._~=-]{6,}`, "$1 [secret]", "gi"),
  // Up to the end of the line or quotation, because a header's value may have several words.
  rule(
    String.raw`(${headerName})((?:${mark})?${sign}(?:${mark})?)(?!\[)[^"'\r\n\\]{1,2000}`,
    "$1$2[secret]",
    "gi",
  ),
  rule(
    String.raw`(${secretName})((?:${mark})?${sign}(${mark}))(?!\[)(?:(?!\3)(?:\\.|[^\r\n])){1,2000}`,
    "$1$2[secret]",
    "gi",
  ),
  // Without quotation marks after the name: "token": null is not a secret.
  rule(String.raw`(${secretName})(${sign})(?!\[)[^\s"'\\,;&<>{}[\]]{3,}`, "$1$2[secret]", "gi"),
  // A URL with user and password, or a webhook URL without its scheme.
  rule(String.raw`([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s\/"'@\\]{0,200}@`, "$1[secret]@", "gi"),
  rule(String.raw`(hooks\.slack\.com|discord(?:app)?\.com)\/[^\s"'\\<>()]{8,}`, "$1/[path]", "gi"),
  rule(String.raw`[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+`, "[email]"),
];

const urlPattern = /https?:\/\/[^\s"'\\<>()[\]{}]+/gi;

/** Keeps only the host of foreign URLs, because paths and queries may contain tokens. */
function scrubUrl(text: string, ownOrigin: string): string {
  const url = URL.parse(text);
  if (url === null) return "[address]";
  if (url.origin === ownOrigin && url.username === "" && url.password === "") return text;
  const isBare = url.pathname === "/" && url.search === "" && url.hash === "";
  return `${url.protocol}//${url.host}${isBare ? "" : "/[path]"}`;
}

export function scrubText(text: string, ownOrigin: string): string {
  const withoutUrls = text.replace(urlPattern, (found) => scrubUrl(found, ownOrigin));
  return rules.reduce(
    (scrubbed, { pattern, replacement }) => scrubbed.replace(pattern, replacement),
    withoutUrls,
  );
}

/** Scrubs every text in a document; field names are this product's and stay. */
export function scrubDocument(value: unknown, ownOrigin: string): unknown {
  if (typeof value === "string") return scrubText(value, ownOrigin);
  if (Array.isArray(value)) return value.map((item) => scrubDocument(item, ownOrigin));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, scrubDocument(inner, ownOrigin)]),
  );
}
