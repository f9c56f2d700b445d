export const previewMs = 600_000;
/** Limits per account; the oldest previews are deleted first. */
export const maxPreviews = 20;
export const maxAccountBytes = 24 * 1024 * 1024;
/** Fits three images and the largest page, in light and dark mode. */
export const maxPreviewBytes = 8 * 1024 * 1024;

export interface PreviewFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface PreviewInput {
  readonly html: string;
  /** Dark variant, for documents that do not choose the colour scheme themselves. */
  readonly darkHtml?: string;
  /** Policy of the real document; framing directives are replaced. */
  readonly contentSecurityPolicy: string;
  /** Files that the document loads, by path relative to it, as in `theme.css`. */
  readonly files?: Readonly<Record<string, PreviewFile>>;
}

export interface Preview {
  /** Path of the document on this server. */
  readonly light: string;
  readonly dark: string;
  readonly expiresAt: Date;
}

/** The path of the document itself is empty. */
export const darkPath = "dark";

const htmlType = "text/html; charset=utf-8";
const scriptType = "text/javascript; charset=utf-8";

/**
 * Lets the surrounding application restore the scroll position when a newer preview replaces this
 * one.
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
 * Makes links inert: `_blank` needs a new window, which the sandbox forbids. Otherwise a link would
 * navigate to a page that may not exist.
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
 * Scripts run in an opaque origin: they cannot access the session or storage of the application,
 * open windows or submit forms.
 */
export function decidePolicy(contentSecurityPolicy: string): string {
  const remaining = contentSecurityPolicy
    .split(";")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !/^(?:frame-ancestors|sandbox)\b/i.test(directive));
  return [...remaining, "frame-ancestors 'self'", "sandbox allow-scripts"].join("; ");
}

/** An image or style sheet opened directly runs no script. */
export const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function isDocument({ contentType }: Pick<PreviewFile, "contentType">): boolean {
  return contentType === htmlType;
}
