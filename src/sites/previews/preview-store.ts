import { type Database, runSql } from "../../platform/database.ts";

export const previewMs = 600_000;
/** Limits per account. Beyond a limit, the oldest previews are deleted. */
export const maxPreviews = 20;
export const maxAccountBytes = 24 * 1024 * 1024;
/** Maximum size of a preview, enough for three images and a large page in two themes. */
export const maxPreviewBytes = 8 * 1024 * 1024;

export interface PreviewFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface PreviewInput {
  readonly html: string;
  /** Dark variant of the document; absent if the document chooses its colour scheme itself. */
  readonly darkHtml?: string;
  /**
   * Content security policy of the published document. The preview replaces its `frame-ancestors`
   * and `sandbox` directives.
   */
  readonly contentSecurityPolicy: string;
  /** Files that the document loads, by path relative to the document, such as `theme.css`. */
  readonly files?: Readonly<Record<string, PreviewFile>>;
}

export interface Preview {
  /** Path of the light document on this server. */
  readonly light: string;
  readonly dark: string;
  readonly expiresAt: Date;
}

/**
 * Path of the dark document, relative to the URL of the preview. The light document has the URL of
 * the preview itself.
 */
export const darkPath = "dark";

const htmlType = "text/html; charset=utf-8";
const scriptType = "text/javascript; charset=utf-8";

/**
 * Script of a preview. With it, the application keeps the scroll position when it replaces the
 * preview with a newer one.
 */
const script = `addEventListener("scroll", () => {
  parent.postMessage({ preview: "scrolled", top: scrollY }, "*");
}, { passive: true });
addEventListener("message", ({ source, data }) => {
  if (source === parent && data?.preview === "scroll") scrollTo(0, Number(data.top) || 0);
});
`;
const scriptPath = "preview.js";

/**
 * Prepares the HTML of a preview. The link target `_blank` makes links inert, because the sandbox
 * forbids new windows. Without this target, a link would navigate to a page that may not exist.
 */
function toHtmlFile(html: string, hasScript: boolean): PreviewFile {
  const more = `<base target="_blank">${hasScript ? `<script src="./${scriptPath}"></script>` : ""}`;
  const held = html.replace(/<head[^>]*>/i, (head) => head + more);
  return { contentType: htmlType, bytes: Buffer.from(held) };
}

export function listPreviewFiles(input: PreviewInput): ReadonlyMap<string, PreviewFile> {
  const { html, darkHtml, files = {} } = input;
  const hasScript = /\bscript-src [^;]*'self'/.test(input.contentSecurityPolicy);
  const listed = new Map([["", toHtmlFile(html, hasScript)], ...Object.entries(files)]);
  if (darkHtml !== undefined) listed.set(darkPath, toHtmlFile(darkHtml, hasScript));
  if (hasScript) {
    listed.set(scriptPath, { contentType: scriptType, bytes: Buffer.from(script) });
  }
  return listed;
}

/**
 * Returns the content security policy of a preview. With this policy, scripts run in an opaque
 * origin: they cannot access the session or storage of the application, open windows or submit
 * forms.
 */
export function decidePolicy(contentSecurityPolicy: string): string {
  const remaining = contentSecurityPolicy
    .split(";")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !/^(?:frame-ancestors|sandbox)\b/i.test(directive));
  return [...remaining, "frame-ancestors 'self'", "sandbox allow-scripts"].join("; ");
}

/**
 * Content security policy of the files of a preview, so that a file that is opened directly runs no
 * script.
 */
export const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function isDocument({ contentType }: Pick<PreviewFile, "contentType">): boolean {
  return contentType === htmlType;
}

interface StoredPreview {
  readonly tokenHash: Buffer;
  readonly contentSecurityPolicy: string;
  readonly files: ReadonlyMap<string, PreviewFile>;
  readonly byteCount: number;
  readonly expiresAt: Date;
}

export async function insertPreview(
  db: Database,
  accountId: string,
  preview: StoredPreview,
): Promise<void> {
  const { tokenHash, contentSecurityPolicy, byteCount, expiresAt } = preview;
  const files = [...preview.files];
  await runSql(
    db,
    `with preview as (
      insert into previews (token_hash, account_id, content_security_policy, byte_count, expires_at)
      values ($1, $2, $3, $4, $5) returning id
    )
    insert into preview_files (preview_id, path, content_type, bytes)
    select preview.id, file.path, file.content_type, file.bytes
    from preview, unnest($6::text[], $7::text[], $8::bytea[]) as file (path, content_type, bytes)`,
    [
      tokenHash,
      accountId,
      contentSecurityPolicy,
      byteCount,
      expiresAt,
      files.map(([path]) => path),
      files.map(([, { contentType }]) => contentType),
      files.map(([, { bytes }]) => bytes),
    ],
  );
}

/** Deletes an account's oldest previews beyond its limits, but never the newest preview. */
export async function deleteExcess(
  db: Database,
  accountId: string,
  limits: { readonly count: number; readonly bytes: number },
): Promise<void> {
  await runSql(
    db,
    `delete from previews where id in (
      select id from (
        select id, row_number() over newest as place, sum(byte_count) over newest as bytes
        from previews where account_id = $1
        window newest as (order by id desc)
      ) as counted
      where place > 1 and (place > $2 or bytes > $3)
    )`,
    [accountId, limits.count, limits.bytes],
  );
}

interface FoundFile extends PreviewFile {
  readonly contentSecurityPolicy: string;
}

/** Finds a file of a preview. The token in the URL is the only authorisation. */
export async function findPreviewFileByToken(
  db: Database,
  request: { readonly tokenHash: Buffer; readonly path: string; readonly now: Date },
): Promise<FoundFile | null> {
  const [file] = await runSql<FoundFile>(
    db,
    `select content_type as "contentType", bytes,
      content_security_policy as "contentSecurityPolicy"
    from previews join preview_files on preview_id = id
    where token_hash = $1 and path = $2 and expires_at > $3`,
    [request.tokenHash, request.path, request.now],
  );
  return file ?? null;
}

export async function deletePreviewsBefore(db: Database, now: Date): Promise<void> {
  await runSql(db, "delete from previews where expires_at <= $1", [now]);
}
