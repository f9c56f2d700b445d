import { createHash } from "node:crypto";
import { findUrlFault, rejectionMessages } from "../../../platform/outbound-guard.ts";
import { parsePicture } from "./picture.ts";

export const maxUploadBytes = 200_000;
/** Base64, with the prefix of a data URL. */
export const maxPictureAddressLength = Math.ceil(maxUploadBytes / 3) * 4 + 100;
const maxUrlLength = 2_048;

/** A URL to fetch an image from, or the image itself. */
export type PictureAddress =
  | { readonly kind: "url"; readonly source: string }
  | {
      readonly kind: "upload";
      /** Stored in the place of the URL of a fetched image. */
      readonly source: string;
      readonly bytes: Buffer;
      readonly contentType: string;
    }
  | { readonly kind: "invalid"; readonly rule: string };

const uploadPattern = /^uploaded:([0-9a-f]{64})$/;
const dataPattern = /^data:image\/[a-z0-9.+-]{1,40};base64,([A-Za-z0-9+/]*={0,2})$/i;

export function hashPicture(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns the hash of an uploaded image; `null` for a fetched one. */
export function findUploadHash(source: string): string | null {
  return uploadPattern.exec(source)?.[1] ?? null;
}

function refuse(rule: string): PictureAddress {
  return { kind: "invalid", rule };
}

function parseDataUrl(text: string): PictureAddress {
  const encoded = dataPattern.exec(text)?.[1];
  if (encoded === undefined) return refuse("must be data:image/…;base64,… if it is a data URL");
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length > maxUploadBytes)
    return refuse(`must not contain more than ${maxUploadBytes} bytes`);
  const picture = parsePicture(bytes);
  if (picture.kind === "invalid") return refuse(`is rejected: ${picture.fault}`);
  const source = `uploaded:${hashPicture(bytes)}`;
  return { kind: "upload", source, bytes, contentType: picture.contentType };
}

export function parsePictureAddress(text: string, allowPrivate: boolean): PictureAddress {
  if (/^data:/i.test(text)) return parseDataUrl(text);
  if (text.length > maxUrlLength)
    return refuse(`must not be longer than ${maxUrlLength} characters`);
  const fault = findUrlFault(text, allowPrivate);
  if (fault !== null) return refuse(`is refused: ${rejectionMessages[fault]}`);
  return { kind: "url", source: text };
}
