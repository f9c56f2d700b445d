/** Files that a run produces besides its result: screenshots, traces, videos, packet captures. */

export const assetTypes = ["screenshot", "trace", "video", "pcap", "file"] as const;
export type AssetType = (typeof assetTypes)[number];

export interface RunAsset {
  readonly type: AssetType;
  readonly name: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

export interface AssetRun {
  readonly accountId: string;
  readonly checkId: string;
  readonly runId: string;
}

/** Stores the files of runs. Probers receive the sink as `ProberTools.assets`. */
export interface AssetSink {
  /**
   * Stores the files of a run. Resolves when the server has stored the files. On a remote probe,
   * resolves when the files are queued for upload.
   *
   * A failure does not change the result of the run. A second call for the same run replaces the
   * files.
   */
  save(run: AssetRun, assets: readonly RunAsset[]): Promise<void>;
}

/** Maximum number of files per run. Further files are dropped. */
export const maxRunAssets = 50;
export const maxRunAssetBytes = 20 * 1024 * 1024;
const maxNameLength = 100;

/** Returns a file name that is safe in any folder and in any HTTP header. */
export function toSafeName(name: string): string {
  const last = name.slice(-1_000).split(/[/\\]/).at(-1) ?? "";
  const safe = last.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(safe)?.[0] ?? "";
  const stem = safe.slice(0, safe.length - ending.length).slice(0, maxNameLength - ending.length);
  return `${stem}${ending}`.replace(/^\.+/, "") || "file";
}

const signatures: readonly (readonly [contentType: string, bytes: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["application/zip", [0x50, 0x4b, 0x03, 0x04]],
  ["video/webm", [0x1a, 0x45, 0xdf, 0xa3]],
  ["application/x-pcapng", [0x0a, 0x0d, 0x0d, 0x0a]],
];

/**
 * Allowed content types by asset type. A file with any other content type is served as plain bytes.
 */
const allowed: Readonly<Record<AssetType, readonly string[]>> = {
  screenshot: ["image/png", "image/jpeg"],
  trace: ["application/zip"],
  video: ["video/webm"],
  pcap: ["application/x-pcapng"],
  file: ["image/png", "image/jpeg", "application/zip", "video/webm"],
};

/**
 * Returns the content type that the first bytes indicate. The file name is ignored, because a
 * script chooses it.
 */
export function decideContentType(type: AssetType, content: Uint8Array): string {
  const found = signatures.find(([, bytes]) => bytes.every((byte, at) => content[at] === byte));
  const contentType = found?.[0] ?? "";
  return allowed[type].includes(contentType) ? contentType : "application/octet-stream";
}

/** Replaces unsafe names, sets content types, and drops empty files and files beyond the limits. */
export function boundAssets(assets: readonly RunAsset[]): RunAsset[] {
  let bytes = 0;
  return assets.slice(0, maxRunAssets).flatMap(({ type, name, content }) => {
    if (content.length === 0 || bytes + content.length > maxRunAssetBytes) return [];
    bytes += content.length;
    const contentType = decideContentType(type, content);
    return [{ type, name: toSafeName(name), contentType, content }];
  });
}

interface PackedFile {
  readonly type: AssetType;
  readonly name: string;
  readonly bytes: number;
}

/**
 * Encodes a run's files: the length of a JSON list as u32, the list, then the contents of the
 * files.
 */
export function packAssets(assets: readonly RunAsset[]): Buffer {
  const list = assets.map(({ type, name, content }): PackedFile => {
    return { type, name, bytes: content.length };
  });
  const head = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...assets.map(({ content }) => content)]);
}

function isPackedFile(value: unknown): value is PackedFile {
  const { type, name, bytes } = (value ?? {}) as Partial<PackedFile>;
  const isKnown = assetTypes.some((one) => one === type);
  return isKnown && typeof name === "string" && Number.isSafeInteger(bytes) && (bytes ?? -1) >= 0;
}

/** Decodes the files of a run; returns `null` if the message is malformed. */
export function unpackAssets(packed: Buffer): RunAsset[] | null {
  if (packed.length < 4) return null;
  const headEnd = 4 + packed.readUInt32BE(0);
  let list: unknown;
  try {
    list = JSON.parse(packed.subarray(4, headEnd).toString());
  } catch {
    return null;
  }
  if (!Array.isArray(list) || list.length > maxRunAssets || !list.every(isPackedFile)) return null;
  let at = headEnd;
  const assets = list.map(({ type, name, bytes }: PackedFile): RunAsset => {
    const content = packed.subarray(at, at + bytes);
    at += bytes;
    return { type, name, contentType: decideContentType(type, content), content };
  });
  return at === packed.length ? assets : null;
}
