export const previewMs = 600_000;
/** Of one account; the oldest make room for the newest. */
export const maxPreviews = 20;
export const maxAccountBytes = 24 * 1024 * 1024;
/** Three pictures and the largest page there is, in light and in dark. */
export const maxPreviewBytes = 8 * 1024 * 1024;

export interface PreviewFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface PreviewInput {
  readonly html: string;
  /** The same on dark, for documents that do not decide it by themselves. */
  readonly darkHtml?: string;
  /** That of the real document; who may show it in a frame is decided here. */
  readonly contentSecurityPolicy: string;
  /** What the document loads, by path; it names them relative to itself, as in `theme.css`. */
  readonly files?: Readonly<Record<string, PreviewFile>>;
}

export interface Preview {
  /** Where the document is, below our own address. */
  readonly light: string;
  readonly dark: string;
  readonly expiresAt: Date;
}

/** The path of the document itself is empty. */
export const darkPath = "dark";

const htmlType = "text/html; charset=utf-8";
const scriptType = "text/javascript; charset=utf-8";

/** The application around it keeps it where it was scrolled to when a newer one takes its place. */
const script = `addEventListener("scroll", () => {
  parent.postMessage({ preview: "scrolled", top: scrollY }, "*");
}, { passive: true });
addEventListener("message", ({ source, data }) => {
  if (source === parent && data?.preview === "scroll") scrollTo(0, Number(data.top) || 0);
});
`;
const scriptPath = "preview.js";

/**
 * A link of a preview leads nowhere: without a window to open, the browser does nothing. Otherwise
 * it would leave for a page that may not exist.
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
 * Scripts run, but as those of no site: they reach neither the session nor the storage of the
 * application around them, open no window and send no form.
 */
export function decidePolicy(contentSecurityPolicy: string): string {
  const kept = contentSecurityPolicy
    .split(";")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !/^(?:frame-ancestors|sandbox)\b/i.test(directive));
  return [...kept, "frame-ancestors 'self'", "sandbox allow-scripts"].join("; ");
}

/** A picture or style sheet that is opened by itself runs nothing. */
export const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function isDocument({ contentType }: Pick<PreviewFile, "contentType">): boolean {
  return contentType === htmlType;
}
